import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Listing, OpenProvider } from '@rollcall/host'
import { isRollcallError, type RollcallError, type ToolResult } from '@rollcall/plugin'
import { expect } from 'vitest'

/** Polls until something is true; fails when it isn't in time. */
export async function until(isTrue: () => boolean | Promise<boolean>, limitMs = 10_000): Promise<void> {
  const end = performance.now() + limitMs
  while (!(await isTrue())) {
    expect(performance.now(), `not true within ${limitMs} ms: ${isTrue}`).toBeLessThan(end)
    await sleep(10)
  }
}

/** Lists until the first list of the server is over, whatever its end. */
export async function settled(provider: OpenProvider, limitMs = 20_000): Promise<Listing> {
  let last: Listing | undefined
  await until(async () => {
    last = await list(provider)
    return !last.detail.endsWith('starting')
  }, limitMs)
  return last ?? list(provider)
}

export function list(provider: OpenProvider): Promise<Listing> {
  return provider.list(new AbortController().signal)
}

/** The RollcallError that a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<RollcallError> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('error' in outcome && isRollcallError(outcome.error)) return outcome.error
  return expect.fail(`expected a RollcallError, got ${JSON.stringify(outcome)}`)
}

/** The text blocks of a result. */
export function textOf(result: ToolResult): string {
  return (result.content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('\n')
}

/** Names and holds of the listed tools. */
export function heldIn(listing: Listing): Record<string, string> {
  const tools = listing.tools as readonly {
    readonly name: string
    readonly holds?: readonly { readonly by: string }[]
  }[]
  return Object.fromEntries(tools.map(({ name, holds }) => [name, holds?.map(({ by }) => by).join() ?? '']))
}

/** Codes of a listing's findings. */
export function codesIn(listing: Listing): readonly string[] {
  return listing.findings.map(({ code }) => code)
}

/** Tells whether a process runs; a zombie is gone. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return !'ZX'.includes(stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3))
  } catch {
    return false
  }
}
