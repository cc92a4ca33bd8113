export type { Mcp, McpFace, McpLimits, McpOptions, ServeOptions, ServerState, ServerStatus, SyncReport } from './mcp.ts'
