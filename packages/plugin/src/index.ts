export { Type } from 'typebox'
export { canonicalJson, type Digest, digestOf } from './digest.ts'
export { errorTable } from './errors/error-table.ts'
export type { Finding, Phase } from './errors/finding.ts'
export {
  isRollcallError,
  RollcallError,
  type RollcallErrorCode,
  type RollcallErrorOptions,
} from './errors/rollcall-error.ts'
export { ApprovalRequested } from './events/approval-requested.ts'
export { CallFinished } from './events/call-finished.ts'
export type { EventClass } from './events/event-class.ts'
export { FeaturesChanged } from './events/features-changed.ts'
export { RegisterGuardrailsEvent } from './events/register-guardrails-event.ts'
export { RegisterToolProvidersEvent } from './events/register-tool-providers-event.ts'
export { ToolsChanged } from './events/tools-changed.ts'
export {
  type Guardrail,
  type GuardrailCheck,
  type GuardrailContext,
  type GuardrailStage,
  type GuardrailVerdict,
  guardrailStages,
  type TextRange,
} from './guardrail/guardrail.ts'
export type { Json, JsonObject, JsonSchema, Maybe } from './json.ts'
export { type Logger, silentLogger } from './logger.ts'
export { definePlugin, isPlugin } from './plugin/define-plugin.ts'
export type { LegacyPlugin, LegacyServices } from './plugin/legacy-plugin.ts'
export type { Plugin, PluginContext } from './plugin/plugin.ts'
export type { Principal, Scope } from './principal.ts'
export type { OperatorWords, ToolWords } from './provider/operator-words.ts'
export type { SecretRef, ServerDeclaration, ServerKeeping } from './provider/server-declaration.ts'
export type { ToolProvider } from './provider/tool-provider.ts'
export { createRedactor, type Redactor } from './text/create-redactor.ts'
export { expandVariables } from './text/expand-variables.ts'
export { oneLine } from './text/one-line.ts'
export { redactEnvironment } from './text/redact-environment.ts'
export { redactSecrets } from './text/redact-secrets.ts'
export { type SecretShape, secretShapes } from './text/secret-shapes.ts'
export { type UnmaskedText, unmask } from './text/unmask.ts'
export { hasHiddenCharacters, visibleText } from './text/visible-text.ts'
export { defineTool } from './tool/define-tool.ts'
export type { ToolContext } from './tool/tool-context.ts'
export type { Arguments, ToolDefinition } from './tool/tool-definition.ts'
export type { Artifact, ToolContent, ToolResult } from './tool/tool-result.ts'
export {
  type DataClass,
  type DataClassName,
  dataClasses,
  type Effect,
  effects,
  type ToolTraits,
  type TrustZone,
  type TrustZoneName,
  trustZones,
} from './traits.ts'
