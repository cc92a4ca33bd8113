import { type Json, type JsonObject, RollcallError, type ToolContent, type ToolResult } from '@rollcall/plugin'

/**
 * Reads whatever a legacy tool answered: a text, an MCP result, one of the ways to say that it failed, or plain data.
 *
 * @throws {RollcallError} `TOOL_FAILED` for an answer that JSON can't hold.
 */
export function toToolResult(answer: unknown, id: string): ToolResult {
  if (answer === undefined || answer === null) return { content: [] }
  if (typeof answer === 'string') return { content: [textBlock(answer)] }
  const value = toJson(answer, id)
  if (!isObject(value)) return withText(value)

  const error = errorText(value)
  if (error !== undefined) return { content: [textBlock(error)], isError: true }
  if (isContent(value.content)) return mcpResult(value, value.content)
  if (value.isError === true) return { content: [textBlock(failureText(value))], isError: true }
  return withText(value)
}

function mcpResult(
  { structuredContent, _meta: meta, isError }: JsonObject,
  content: readonly ToolContent[],
): ToolResult {
  return {
    content,
    ...(structuredContent !== undefined && { structured: structuredContent }),
    ...(isError === true && { isError }),
    ...(isObject(meta) && { meta }),
  }
}

function withText(structured: Json): ToolResult {
  return { content: [textBlock(JSON.stringify(structured))], structured }
}

function toJson(answer: unknown, id: string): Json {
  try {
    const text = JSON.stringify(answer)
    if (text !== undefined) return JSON.parse(text)
  } catch (cause) {
    throw notJson(id, cause)
  }
  throw notJson(id, undefined)
}

function notJson(id: string, cause: unknown): RollcallError {
  return new RollcallError('TOOL_FAILED', `${id} answered with something that JSON can't hold.`, {
    hint: 'Let invokeTool return a text, plain data or { content: [...] }.',
    cause,
  })
}

/** The words of `{ error: "…" }` and `{ error: { code, message } }`; `undefined` where there is no error. */
function errorText({ error }: JsonObject): string | undefined {
  if (typeof error === 'string') return error === '' ? undefined : error
  if (!isObject(error)) return undefined
  const { code, message } = error
  const words = [code, message].filter((word) => typeof word === 'string' || typeof word === 'number')
  return words.length > 0 ? words.join(': ') : JSON.stringify(error)
}

function failureText({ isError: _isError, ...rest }: JsonObject): string {
  const words = [rest.message, rest.text, rest.content].find((word) => typeof word === 'string' && word !== '')
  return typeof words === 'string' ? words : JSON.stringify(rest)
}

function isContent(content: Json | undefined): content is readonly ToolContent[] & Json {
  return Array.isArray(content) && content.every(isBlock)
}

/** Kinds of blocks that are unknown here pass through. */
function isBlock(block: Json): boolean {
  if (!isObject(block) || typeof block.type !== 'string') return false
  return block.type !== 'text' || typeof block.text === 'string'
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textBlock(text: string): ToolContent {
  return { type: 'text', text }
}
