/**
 * The names of spans and attributes: those of the GenAI and MCP conventions of OpenTelemetry, version 0.1.0, and our own
 * beside them.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai/tree/v0.1.0/docs/gen-ai
 */
export const spanNames = {
  tracer: '@rollcall/host',
  executeTool: 'execute_tool',
  gate: 'rollcall.gate',
  operation: 'gen_ai.operation.name',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  toolType: 'gen_ai.tool.type',
  mcpMethod: 'mcp.method.name',
  mcpSession: 'mcp.session.id',
  errorType: 'error.type',
  appId: 'rollcall.app_id',
  profile: 'rollcall.profile',
  principal: 'rollcall.principal',
  status: 'rollcall.status',
  effect: 'rollcall.effect',
  dataClass: 'rollcall.data_class',
  verdict: 'rollcall.gate.verdict',
  rule: 'rollcall.gate.rule',
} as const
