import { RollcallError } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { renderError } from '../../src/output/render-error.ts'
import { widthOf } from '../../src/output/safe-text.ts'
import { createScreen } from '../../src/output/screen.ts'

function rendered(error: unknown, json: boolean) {
  let out = ''
  let err = ''
  const screen = createScreen({
    writeOut: (text) => {
      out += text
    },
    writeErr: (text) => {
      err += text
    },
    outIsTerminal: false,
    errIsTerminal: false,
    inIsTerminal: false,
    columns: 60,
    env: {},
    json,
    quiet: true,
    noColor: false,
  })
  return { code: renderError(error, screen), out, err }
}

const faults = [
  { path: 'providers.memory.dataClas', message: 'unknown key; did you mean "dataClass"?' },
  { path: 'plugins[2]', message: `"./plugins/wether\u001b[2J": no such folder; ${'and more of it '.repeat(6)}` },
]
const invalid = new RollcallError('CONFIG_INVALID', '2 faults in rollcall.config.json\n  a  b', {
  hint: 'Correct them.',
  data: { faults },
})

describe('an error', () => {
  it('shows every fault once, aligned, within the width of the terminal', () => {
    const { code, err, out } = rendered(invalid, false)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain('rollcall: 2 faults in rollcall.config.json\n')
    expect(err).toContain('  plugins[2]                 "./plugins/wether')
    expect(err).toContain('CONFIG_INVALID · nothing was started')
    expect(err).not.toContain('\u001b')
    for (const line of err.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(60)
  })

  it('is the same as data with --json', () => {
    const { code, err, out } = rendered(invalid, true)
    expect([code, err]).toEqual([2, ''])
    expect(JSON.parse(out).error).toMatchObject({ code: 'CONFIG_INVALID', hint: 'Correct them.', faults })
  })

  it('exits by what it means', () => {
    const codeOf = (code: 'TOOL_NOT_FOUND' | 'APPROVAL_PENDING' | 'LAUNCH_CHANGED' | 'PORT_IN_USE') =>
      rendered(new RollcallError(code, 'x', { hint: 'y' }), false).code
    expect([codeOf('TOOL_NOT_FOUND'), codeOf('APPROVAL_PENDING'), codeOf('LAUNCH_CHANGED')]).toEqual([1, 4, 3])
    expect(codeOf('PORT_IN_USE')).toBe(2)
    expect(rendered(null, false).code).toBe(2)
  })

  it('hides what looks like a secret', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    const { out } = rendered(new RollcallError('USAGE', `bad ${token}`, { hint: token }), true)
    expect(out).not.toContain(token)
  })
})
