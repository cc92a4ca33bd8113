export { approvalCode } from './approvals/approval-code.ts'
export { approvalCard, type Card, type CardRow, shownText } from './approvals/card.ts'
export type { AuditOptions, SinkOptions } from './audit/audit-options.ts'
export type { AuditRecord } from './audit/audit-record.ts'
export { pruneAudit } from './audit/prune-audit.ts'
export { readAudit } from './audit/read-audit.ts'
export { readSinks, type SinkState } from './audit/sinks/read-sinks.ts'
export { sinkIdOf } from './audit/sinks/sink-id.ts'
export { type AuditBreak, type AuditReport, verifyAudit } from './audit/verify-audit.ts'
export type { Catalogue, ProviderReport, ToolView } from './catalogue/catalogue.ts'
export type { Hold } from './catalogue/hold.ts'
export { type Preset, presets } from './config/presets.ts'
export { createHost } from './create-host.ts'
export type { Source } from './discovery/claim.ts'
export type { ListenerReport } from './events/collect.ts'
export type {
  FeatureList,
  FeatureOutcome,
  FeatureRuntime,
  PromptView,
  ResourceView,
  TemplateView,
} from './features/feature-runtime.ts'
export { type GateRuleName, type GateSubject, gateRules, type Verdict, type Vote } from './gate/gate.ts'
export type { Grant } from './gate/grant.ts'
export { localClient, localUser } from './gate/local-user.ts'
export { type ConfiguredRule, type PolicyOptions, zoneCeilings } from './gate/policy.ts'
export type { ApprovalChannel, Approvals, Profile } from './gate/profile.ts'
export { ceilingOf } from './gate/zones.ts'
export type { GuardrailWords } from './guardrails/choose-guardrails.ts'
export type { CheckContext, Checked, Guardrails } from './guardrails/create-guardrails.ts'
export type { HostOptions, HostServices, LegacyScanOptions, PluginEntry, ProviderEntry } from './host-options.ts'
export type { Host, Plan } from './host-types.ts'
export type { CallEvent } from './invoke/call-event.ts'
export type { Answer, Approval, CallRef, GrantWish, Pending, ToolOutcome } from './invoke/outcome.ts'
export type { Answered, CallOptions, ToolRuntime, Who } from './invoke/runtime.ts'
export type { OutboundFetch, OutboundOptions } from './outbound/outbound-fetch.ts'
export type { Authenticate } from './ports/authenticate.ts'
export type { Clock } from './ports/clock.ts'
export { type ApiKey, isGood, principalOfKey, scopes } from './principals/api-key.ts'
export { createKeyAuthenticate, type KeyAuthenticate } from './principals/key-authenticate.ts'
export { createKeyBook, type KeyBook, type KeyWish } from './principals/key-book.ts'
export type {
  CallerPort,
  CallingClient,
  Capability,
  ConnectMcp,
  FeatureAnswer,
  FeatureRequest,
  ListedTool,
  Listing,
  McpClaim,
  OpenProvider,
  ProviderCall,
  ProviderFeatures,
} from './providers/provider.ts'
export type { ReplayedCall } from './report/replay.ts'
export type { Report } from './report/report.ts'
export { createMemoryStore } from './store/create-memory-store.ts'
export { createPostgresStore } from './store/create-postgres-store.ts'
export { createSqliteStore } from './store/create-sqlite-store.ts'
export { restoreBackup } from './store/restore-backup.ts'
export { isSealedStore } from './store/sealing/enroll-keys.ts'
export { createKeyRing, type KeyRing } from './store/sealing/key-ring.ts'
export { type Resealed, resealStore } from './store/sealing/reseal-store.ts'
export { sealStore } from './store/sealing/seal-store.ts'
export type { Blobs, Head, Settings, Store, StoredEvent, StreamId } from './store/store.ts'
export type { StoreRow, StoreRows } from './store/store-row.ts'
export { backupLines } from './store/write-backup.ts'
export type { Switches, SwitchTarget } from './switches/switches.ts'
export type { CallerTrace } from './telemetry/trace-context.ts'
