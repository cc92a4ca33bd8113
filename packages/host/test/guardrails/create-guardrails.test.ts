import type { Finding, Guardrail, GuardrailStage, GuardrailVerdict } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { localUser } from '../../src/gate/local-user.ts'
import { chooseGuardrails, type GuardrailWords } from '../../src/guardrails/choose-guardrails.ts'
import { type CheckContext, createGuardrails } from '../../src/guardrails/create-guardrails.ts'
import { systemClock } from '../../src/ports/system-clock.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'

type Check = NonNullable<Guardrail['output']>

/** An engine with the guardrails `p/<id>`, all of them in use and watching every stage. */
function engine(
  checks: Readonly<Record<string, Check>>,
  words: GuardrailWords = { use: Object.keys(checks).map((id) => `p/${id}`) },
  clock = systemClock,
) {
  const findings: Finding[] = []
  const announced = Object.entries(checks).map(([id, check]) => ({
    name: `p/${id}`,
    plugin: 'p',
    order: 0,
    guardrail: { id, input: check, output: check, toolArguments: check, toolResult: check },
  }))
  const guardrails = createGuardrails({ clock, onFinding: (finding) => findings.push(finding) })
  const choice = chooseGuardrails(words, announced)
  guardrails.use(choice)
  const check = (texts: readonly string[], stage: GuardrailStage = 'toolResult', more: Partial<CheckContext> = {}) =>
    guardrails.check(stage, texts, { principal: localUser, profile: 'direct', ...more })
  return { check, findings, choice, guardrails }
}

const says = (verdict: GuardrailVerdict) => () => verdict
const deny = says({ verdict: 'deny', reason: 'it is forbidden' })
/** Redacts a word wherever it stands. */
const hides =
  (word: string, label?: string): Check =>
  (text) => ({
    verdict: 'redact',
    ranges: Array.from(text.matchAll(new RegExp(word, 'g')), ({ index }) => ({
      start: index,
      end: index + word.length,
      ...(label !== undefined && { label }),
    })),
  })

describe('which guardrails run', () => {
  it('R-GOV-31 R-SEC-18 is the operator’s word: a guardrail that nobody named reads nothing', async () => {
    const read: string[] = []
    const nosy: Check = (text) => {
      read.push(text)
      return { verdict: 'deny', reason: 'because' }
    }
    const { check, choice } = engine({ nosy, named: hides('x') }, { use: ['p/named'] })
    expect(await check(['xyz'])).toMatchObject({ verdict: 'redact', texts: ['[redacted:named]yz'] })
    expect(read).toEqual([])
    expect(choice.findings).toEqual([])
  })

  it('R-GOV-31 a name that nobody offers is a finding, with the nearest', () => {
    const { choice } = engine({ dutch: deny }, { use: ['p/duch', 'pii', 'secret-redaction'] })
    expect(choice.findings).toMatchObject([{ code: 'GUARDRAIL_UNKNOWN', severity: 'error', phase: 'config' }])
    expect(choice.findings[0]?.hint).toContain('p/dutch')
    expect(choice.guardrails.map(({ name }) => name)).toContain('pii')
  })

  it('the first of two with one name stays, and the second is told', () => {
    const one = { name: 'p/one', plugin: 'p', order: 0, guardrail: { id: 'one', output: deny } }
    const choice = chooseGuardrails({ use: ['p/one'] }, [one, { ...one, guardrail: { id: 'one', input: deny } }])
    expect(choice.findings).toMatchObject([{ code: 'GUARDRAIL_INVALID', about: { plugin: 'p' } }])
    expect(choice.guardrails.find(({ name }) => name === 'p/one')?.guardrail).toBe(one.guardrail)
  })

  it('R-GOV-32 a mandatory one that is missing denies at every stage', async () => {
    const { check, guardrails } = engine({}, { mandatory: ['p/gone'] })
    for (const stage of ['input', 'output', 'toolArguments', 'toolResult'] as const) {
      expect(guardrails.watches(stage)).toBe(true)
      expect(await check(['secret'], stage)).toMatchObject({ verdict: 'deny', texts: [], guardrails: ['p/gone'] })
    }
  })
})

describe('a guardrail that can not judge', () => {
  const faults: Readonly<Record<string, Check>> = {
    throws: () => {
      throw new TypeError('broken')
    },
    rejects: () => Promise.reject(new TypeError('broken')),
    nothing: () => undefined as never,
    strange: () => ({ verdict: 'maybe' }) as never,
    'no-ranges': () => ({ verdict: 'redact' }) as never,
    outside: says({ verdict: 'redact', ranges: [{ start: 0, end: 99 }] }),
    backwards: says({ verdict: 'redact', ranges: [{ start: 2, end: 1 }] }),
    hostile: () =>
      ({
        get verdict() {
          throw new TypeError('no')
        },
      }) as never,
  }
  it.each(Object.keys(faults))('R-GOV-32 denies if it is mandatory, else it is passed over: %s', async (id) => {
    const fault = { [id]: faults[id] as Check }
    const strict = engine(fault, { mandatory: [`p/${id}`] })
    expect(await strict.check(['text'])).toMatchObject({ verdict: 'deny', guardrails: [`p/${id}`] })
    expect(strict.findings).toMatchObject([{ code: 'GUARDRAIL_FAILED', severity: 'error', about: { plugin: 'p' } }])
    const lax = engine(fault)
    expect(await lax.check(['text'])).toMatchObject({ verdict: 'allow', texts: ['text'] })
    expect(lax.findings).toMatchObject([{ code: 'GUARDRAIL_FAILED', severity: 'warn' }])
  })

  it('R-GOV-32 R-SEC-18 hangs two seconds at most, and is told to stop', async () => {
    const clock = createManualClock()
    let signal: AbortSignal | undefined
    const hang: Check = (_text, context) => {
      signal = context.signal
      return new Promise(() => {})
    }
    const { check, findings } = engine({ hang }, { mandatory: ['p/hang'] }, clock)
    const checked = check(['text'])
    await clock.advance(1_999)
    expect(signal?.aborted).toBe(false)
    await clock.advance(1)
    expect(await checked).toMatchObject({ verdict: 'deny' })
    expect(signal?.aborted).toBe(true)
    expect(findings[0]?.message).toContain('2,000 ms')
  })
})

describe('R-GOV-33 guardrails one after another', () => {
  it('read what the one before has left', async () => {
    const seen: string[] = []
    const last: Check = (text) => {
      seen.push(text)
      return { verdict: 'allow' }
    }
    const { check } = engine({ one: hides('ada'), two: hides('bob', 'name'), last })
    const checked = await check(['ada and bob', 'only ada'])
    expect(checked.texts).toEqual(['[redacted:one] and [redacted:name]', 'only [redacted:one]'])
    expect(seen).toEqual(['[redacted:one] and [redacted:name]\nonly [redacted:one]'])
    expect(checked).toMatchObject({ verdict: 'redact', guardrails: ['p/one', 'p/two'] })
  })

  it('deny after a redaction still denies, and nobody is asked after a denial', async () => {
    let asked = 0
    const after: Check = () => {
      asked += 1
      return { verdict: 'allow' }
    }
    const { check } = engine({ one: hides('a'), two: deny, after })
    expect(await check(['abc'])).toMatchObject({ verdict: 'deny', reasons: ['p/two: it is forbidden'] })
    expect(asked).toBe(0)
  })

  it('a range over two texts is redacted in both', async () => {
    const { check } = engine({ one: says({ verdict: 'redact', ranges: [{ start: 2, end: 6 }] }) })
    expect((await check(['abcd', 'efgh'])).texts).toEqual(['ab[redacted:one]', '[redacted:one]fgh'])
  })

  it('the strictest word of those that let it go on counts', async () => {
    const ask = says({ verdict: 'ask', reason: 'look' })
    const retry = says({ verdict: 'retry', hint: 'shorter' })
    expect(await engine({ one: hides('a'), ask }).check(['a'])).toMatchObject({ verdict: 'ask' })
    expect(await engine({ retry, ask }).check(['a'])).toMatchObject({ verdict: 'retry', hint: 'shorter' })
  })

  it('a retry is told once: the second is a denial', async () => {
    const { check } = engine({ one: says({ verdict: 'retry', hint: 'shorter' }) })
    expect(await check(['long'], 'output')).toMatchObject({ verdict: 'retry', hint: 'shorter' })
    expect(await check(['long'], 'output', { hasRetried: true })).toMatchObject({
      verdict: 'deny',
      reasons: ['p/one: shorter'],
    })
  })

  it('arguments are never rewritten: a redaction of them is a denial', async () => {
    const { check } = engine({ one: hides('a') })
    expect(await check(['{"a":1}'], 'toolArguments')).toMatchObject({ verdict: 'deny' })
  })

  it('what a guardrail writes is shown without secrets and without what is hidden', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    const { check } = engine({ one: says({ verdict: 'deny', reason: `no\u202e\n ${token}` }) })
    expect((await check(['x'])).reasons).toEqual(['p/one: no\\u{202E} [redacted:github-token]'])
  })
})

it('R-GOV-36 of what a model is told and says secrets are redacted before any guardrail reads', async () => {
  const token = `ghp_${'a1B2'.repeat(9)}`
  const seen: string[] = []
  const reads: Check = (text) => {
    seen.push(text)
    return { verdict: 'allow' }
  }
  const { check, guardrails } = engine({ reads })
  for (const stage of ['input', 'output'] as const)
    expect(await check([`key ${token}`, 'plain'], stage)).toEqual({
      verdict: 'redact',
      texts: ['key [redacted:github-token]', 'plain'],
      reasons: [],
      guardrails: ['secret-redaction'],
    })
  expect(seen.join()).not.toContain(token)
  expect(await check(['plain'], 'output')).toMatchObject({ verdict: 'allow', guardrails: [] })
  expect(engine({}).guardrails.watches('output')).toBe(true)
  expect([guardrails, engine({}).guardrails].map(({ watches }) => watches('toolArguments'))).toEqual([true, false])
})

describe('the content filter of a vendor', () => {
  it.each(['content_filter', 'content-filter', 'SAFETY', 'refusal'])(
    'denies an output that ended by %s',
    async (why) => {
      const { check } = engine({}, { use: ['content-filter'] })
      const checked = await check(['half an answ'], 'output', { finishReason: why })
      expect(checked).toMatchObject({ verdict: 'deny', guardrails: ['content-filter'] })
    },
  )

  it('lets every other end pass, and is not asked unless it is named', async () => {
    const { check } = engine({}, { use: ['content-filter'] })
    for (const finishReason of ['stop', 'length', 'tool_calls', undefined])
      expect(await check(['text'], 'output', finishReason === undefined ? {} : { finishReason })).toMatchObject({
        verdict: 'allow',
      })
    expect(await engine({}, {}).check(['text'], 'output', { finishReason: 'content_filter' })).toMatchObject({
      verdict: 'allow',
    })
  })
})
