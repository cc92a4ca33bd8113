import { createHash } from 'node:crypto'
import type { Json, JsonObject } from '@rollcall/plugin'
import { invalidParams, RpcError } from '../rpc-error.ts'

const pageSize = 500

/**
 * One page of a list, as the result of a `…/list` request.
 *
 * A cursor holds for the list that it was given for: pages of two different lists would leave things out or show them
 * twice.
 *
 * @throws {RpcError} −32602 for a cursor that is none of ours, or of a list that is another now
 */
export function pageOf(key: string, items: readonly JsonObject[], cursor: Json | undefined): JsonObject {
  if (cursor === undefined && items.length <= pageSize) return { [key]: items }
  const list = createHash('sha256').update(JSON.stringify(items)).digest('base64url').slice(0, 16)
  const from = cursor === undefined ? 0 : offsetOf(cursor, list)
  if (from === undefined || (cursor !== undefined && from >= items.length)) {
    throw new RpcError(invalidParams, 'The cursor is not known, or the list has changed: list again without a cursor.')
  }
  const next = from + pageSize
  const nextCursor = next < items.length ? { nextCursor: Buffer.from(`${next}.${list}`).toString('base64url') } : {}
  return { [key]: items.slice(from, next), ...nextCursor }
}

function offsetOf(cursor: Json, list: string): number | undefined {
  if (typeof cursor !== 'string' || cursor.length > 100) return undefined
  const parts = /^(\d{1,9})\.(.+)$/.exec(Buffer.from(cursor, 'base64url').toString())
  return parts?.[2] === list ? Number(parts[1]) : undefined
}
