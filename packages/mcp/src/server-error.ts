/**
 * Where the `meta` of a tool's result holds the JSON-RPC error `{ code, message, data? }` that its server answered with:
 * towards MCP clients it is that error again.
 */
export const serverErrorKey = 'rollcall/serverError'
