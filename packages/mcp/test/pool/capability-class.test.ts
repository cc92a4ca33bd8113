import { describe, expect, it } from 'vitest'
import { capabilitiesOf, capabilityClassOf, lackingIn, mayAsk } from '../../src/pool/capability-class.ts'

describe('the class of what a client can do', () => {
  it.each([
    [undefined, {}],
    [{}, {}],
    [{ experimental: { x: {} }, tasks: {}, roots: false, sampling: null }, {}],
    [{ roots: {} }, { roots: { listChanged: true } }],
    [{ elicitation: {} }, { elicitation: { form: {} } }],
    [{ elicitation: { url: {}, form: { applyDefaults: true }, smell: {} } }, { elicitation: { form: {}, url: {} } }],
    [{ elicitation: { url: {} } }, { elicitation: { url: {} } }],
    [{ sampling: { tools: {}, other: {} } }, { sampling: { tools: {} } }],
  ])('of %j is %j', (declared, known) => {
    expect(capabilitiesOf(capabilityClassOf(declared))).toEqual(known)
  })

  it('is one text however it was written', () => {
    const one = capabilityClassOf({
      sampling: { tools: {}, context: {} },
      roots: { listChanged: true },
      elicitation: {},
    })
    const other = capabilityClassOf({ elicitation: { form: {} }, roots: {}, sampling: { context: {}, tools: {} } })
    expect(one).toBe(other)
  })

  it('says what is lacking and what may be asked', () => {
    const form = capabilityClassOf({ elicitation: {} })
    expect(lackingIn(form, ['elicitation', 'sampling'])).toBe('sampling')
    expect(lackingIn(form, ['elicitation'])).toBeUndefined()
    expect(mayAsk(form, 'elicitation/create', {})).toBe(true)
    expect(mayAsk(form, 'elicitation/create', { mode: 'url' })).toBe(false)
    expect(mayAsk(form, 'elicitation/create', { mode: 'constructor' })).toBe(false)
    expect(mayAsk(form, 'sampling/createMessage', {})).toBe(false)
    expect(mayAsk(form, 'roots/list', {})).toBe(false)
    expect(mayAsk(form, 'tools/call', {})).toBe(false)
  })
})
