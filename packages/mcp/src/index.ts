export { createMcp } from './create-mcp.ts'
export type {
  Mcp,
  McpFace,
  McpLimits,
  McpOptions,
  ServeOptions,
  ServerState,
  ServerStatus,
  ServeStdioOptions,
  SyncOptions,
  SyncReport,
} from './mcp.ts'
export { createKeylessAuthenticate } from './serve/keyless.ts'
