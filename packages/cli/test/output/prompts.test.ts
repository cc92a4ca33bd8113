import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createTerminalPrompts } from '../../src/output/prompts.ts'

const choices = [
  { key: 'a', label: 'approve once' },
  { key: 'd', label: 'deny', initial: true },
]
const up = '\u001b[A'
const escapeKey = '\u001b'

describe('a question with a few answers', () => {
  it.each([
    ['the one it starts at', ['\r'], 'd'],
    ['the one that was moved to', [up, '\r'], 'a'],
    ['nothing when it is left', [escapeKey], undefined],
  ])('gives %s', async (_, keys, answer) => {
    const input = new PassThrough()
    const output = new PassThrough()
    const shown = new Promise((resolve) => output.on('data', (text) => String(text).includes('deny') && resolve(0)))
    const asked = createTerminalPrompts({ input, output }).choose('Run it?', choices)
    await shown
    for (const key of keys) input.write(key)
    expect(await asked).toBe(answer)
  })
})
