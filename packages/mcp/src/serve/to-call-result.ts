import type { ToolOutcome } from '@rollcall/host'
import type { Json, JsonObject, RollcallErrorCode, ToolContent } from '@rollcall/plugin'
import { isJsonObject } from '../is-json-object.ts'
import { foreignMeta, ownMetaPrefix } from '../own-meta.ts'
import { serverErrorKey } from '../server-error.ts'
import { awaitTool } from './await-tool.ts'
import { RpcError } from './rpc-error.ts'

const waitingText =
  'This call needs the decision of a person, and nobody has decided yet. Nothing was executed. ' +
  'Tell the user that the decision is theirs to take where Rollcall runs.'

/**
 * The result of a `tools/call` request that stands for an outcome.
 *
 * A waiting call is told apart by its code: nothing by which a model could decide it itself.
 *
 * @param handle by which a waiting call can be waited for again
 * @throws {RpcError} where the server answered with an error instead of a result
 */
export function toCallResult(outcome: ToolOutcome, handle?: string): JsonObject {
  const { callId, text } = outcome
  if (outcome.status === 'failed') throwServerError(outcome.meta?.[serverErrorKey])
  switch (outcome.status) {
    case 'ok':
      return {
        content: outcome.content.map(knownBlock),
        ...structuredPart(outcome.structured),
        _meta: metaOf(
          { callId, suspicious: outcome.suspicious, ...(outcome.cut && { cut: { bytes: outcome.cut.bytes } }) },
          outcome.meta,
        ),
      }
    case 'failed':
      return {
        content: outcome.content.length > 0 ? outcome.content.map(knownBlock) : textBlocks(text),
        ...structuredPart(outcome.structured),
        isError: true,
        _meta: metaOf({ callId, code: outcome.code, suspicious: outcome.suspicious }, outcome.meta),
      }
    case 'denied':
    case 'unknown':
      return { content: textBlocks(text), isError: true, _meta: metaOf({ callId, code: outcome.code }) }
    case 'waiting':
      return {
        content: textBlocks(handle === undefined ? waitingText : `${waitingText} ${howToWait(handle)}`),
        isError: true,
        _meta: metaOf({ code: 'APPROVAL_PENDING', ...(handle !== undefined && { handle }) }),
      }
    case 'cancelled':
      return { content: textBlocks(text), isError: true, _meta: metaOf({ callId }) }
  }
}

function howToWait(handle: string): string {
  return `To wait again, call ${awaitTool} with {"handle":"${handle}"}; do not repeat this call.`
}

/** The code may say what to do next, as the one that sends a person to an address first. */
function throwServerError(error: Json | undefined): void {
  if (!isJsonObject(error)) return
  const { code, message, data } = error
  if (Number.isSafeInteger(code) && typeof message === 'string') throw new RpcError(Number(code), message, data)
}

function textBlocks(text: string): JsonObject[] {
  return [{ type: 'text', text }]
}

/** Clients refuse a whole result for one block of a kind unknown to them. */
function knownBlock(block: ToolContent): JsonObject {
  switch (block.type) {
    case 'text':
    case 'image':
    case 'audio':
    case 'resource':
    case 'resource_link':
      return block
    default:
      return { type: 'text', text: `A block of a kind that is not passed on: ${JSON.stringify(block)}` }
  }
}

/** The protocol allows nothing but an object. */
function structuredPart(structured: unknown): JsonObject {
  return isJsonObject(structured) ? { structuredContent: structured } : {}
}

function metaOf(
  own: {
    callId?: string
    code?: RollcallErrorCode
    handle?: string
    cut?: JsonObject
    suspicious?: readonly string[] | undefined
  },
  foreign: JsonObject = {},
): JsonObject {
  const meta: Record<string, Json> = { ...foreignMeta(foreign) }
  for (const [key, value] of Object.entries(own)) if (value !== undefined) meta[ownMetaPrefix + key] = value
  return meta
}
