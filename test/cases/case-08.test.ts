import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { openCaseFolder, serverIn } from './open-case.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('08')
const keptBytes = 8 * 1024

describe.skipIf(folder === undefined)('a flood on the error output', () => {
  it('stops no call, reaches no result, and is kept within bounds', async () => {
    await using home = await openCaseFolder()
    await using opened = await home.open({ c08: serverIn(folder ?? '') }, { limits: { callTimeoutMs: 10_000 } })
    await opened.settled()
    const before = keptMemory()
    for (let call = 0; call < 3; call += 1) {
      const outcome = await opened.call('c08__spam')
      expect(outcome).toMatchObject({ status: 'ok', content: [{ type: 'text', text: 'done' }] })
    }
    const tail = () => opened.mcp.servers()[0]?.stderrTail ?? ''
    await expect.poll(tail).toMatch(/#{1000}$/)
    expect(Buffer.byteLength(tail())).toBeLessThanOrEqual(keptBytes)
    // What nobody holds any more goes when the collector gets to it.
    await expect.poll(() => keptMemory() - before, { timeout: 10_000 }).toBeLessThan(1024 * 1024)
  })
})

/** Bytes of buffers that somebody still holds. */
function keptMemory(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().arrayBuffers
}
