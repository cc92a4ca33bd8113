import { type Json, type JsonObject, RollcallError, type ToolContent, type ToolResult } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import { foreignMeta } from '../own-meta.ts'

/**
 * Reads the result of `tools/call`. Every known kind of block passes unchanged, an unknown one becomes a text note.
 *
 * @throws {RollcallError} `SERVER_PROTOCOL` when `content` is no list.
 */
export function toToolResult(server: string, result: JsonObject): ToolResult {
  const { content, structuredContent, isError, _meta } = result
  if (content !== undefined && !Array.isArray(content)) {
    throw new RollcallError('SERVER_PROTOCOL', `${server} answered with a "content" that is no list.`, {
      hint: 'Update the server, or report it to its author.',
      data: { sent: true },
    })
  }
  const blocks = (content as readonly Json[] | undefined)?.map(toBlock)
  return {
    ...(blocks !== undefined ? { content: blocks } : structuredContent === undefined && { content: [] }),
    ...(structuredContent !== undefined && { structured: structuredContent }),
    ...(isError === true && { isError }),
    ...(isJsonObject(_meta) && { meta: foreignMeta(_meta) }),
  }
}

function toBlock(block: Json): ToolContent {
  // The shape was checked, so the block is what its type says.
  if (isJsonObject(block) && isKnown(block)) return block as unknown as ToolContent
  const type = isJsonObject(block) && typeof block.type === 'string' ? JSON.stringify(block.type) : 'unknown'
  return { type: 'text', text: `[A block of the type ${type}, as JSON:] ${JSON.stringify(block)}` }
}

function isKnown(block: JsonObject): boolean {
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string'
    case 'image':
    case 'audio':
      return typeof block.data === 'string' && typeof block.mimeType === 'string'
    case 'resource':
      return isJsonObject(block.resource)
    case 'resource_link':
      return typeof block.uri === 'string' && typeof block.name === 'string'
    default:
      return false
  }
}
