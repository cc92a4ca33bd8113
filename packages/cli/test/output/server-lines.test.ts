import type { ServerStatus } from '@rollcall/mcp'
import { expect, it } from 'vitest'
import { createPaint } from '../../src/output/paint.ts'
import { serverLines } from '../../src/output/server-lines.ts'

const now = 1_000_000
const screen = { width: 70, paint: createPaint(false) }

function failing(more: Partial<ServerStatus> = {}): ServerStatus {
  const lastError = { code: 'SERVER_UNAVAILABLE', message: 'small left with exit code 3.' }
  return {
    appId: 'small',
    transport: 'stdio',
    state: 'failing',
    noiseLines: 0,
    connections: 0,
    unattributed: 0,
    lastError,
    ...more,
  }
}

it('says of a server that fails with what, and when it is tried again', () => {
  expect(serverLines([failing({ nextTryAt: now + 12_000 })], screen, now)).toEqual([
    '  ! small left with exit code 3. The next try is in 12 s.',
  ])
  expect(serverLines([failing(), failing({ nextTryAt: now - 1 })], screen, now)).toEqual(
    Array(2).fill('  ! small left with exit code 3. The next call starts it again.'),
  )
})

it('says nothing of servers that run or were not needed', () => {
  expect(serverLines([failing({ state: 'ready' }), failing({ state: 'idle' })], screen, now)).toEqual([])
})

it('stays within the screen, whatever the server has written', () => {
  const message = `small left. Its error output ends with: ${'\u001b[31mword '.repeat(200)}`
  const lines = serverLines([failing({ lastError: { code: 'SERVER_UNAVAILABLE', message } })], screen, now)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(70)
  expect(lines.length).toBeLessThan(10)
  expect(lines.join('')).not.toContain('\u001b')
})
