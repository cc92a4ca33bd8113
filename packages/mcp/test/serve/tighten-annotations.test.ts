import { type Effect, effects, type JsonObject } from '@rollcall/plugin'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tightenAnnotations } from '../../src/serve/tighten-annotations.ts'

const hint = fc.option(fc.oneof(fc.boolean(), fc.constant('true'), fc.constant(null)), { nil: undefined })
const hints = fc.record({ readOnlyHint: hint, destructiveHint: hint, idempotentHint: hint, openWorldHint: hint })

describe('tightenAnnotations', () => {
  it('R-SEC-19 is never looser than the operator, whatever the server claims', () => {
    fc.assert(
      fc.property(fc.constantFrom(...effects), hints, (effect: Effect, given) => {
        const ours = tightenAnnotations(effect, given as JsonObject)
        if (effect !== 'read') expect(ours).toMatchObject({ readOnlyHint: false, destructiveHint: true })
        if (effect === 'write') expect(ours.idempotentHint).toBe(false)
      }),
    )
  })

  it('R-SEC-19 is never looser than the server either', () => {
    fc.assert(
      fc.property(fc.constantFrom(...effects), hints, (effect: Effect, given) => {
        const ours = tightenAnnotations(effect, given as JsonObject)
        if (given.readOnlyHint === false) expect(ours.readOnlyHint).toBe(false)
        if (given.destructiveHint === true) expect(ours.destructiveHint).toBe(true)
        if (given.idempotentHint === false) expect(ours.idempotentHint).toBe(false)
      }),
    )
  })

  it('says what the operator says where the server says nothing', () => {
    expect(tightenAnnotations('read')).toEqual({ readOnlyHint: true, destructiveHint: false, idempotentHint: true })
    expect(tightenAnnotations('idempotentWrite')).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
    })
    expect(tightenAnnotations('write')).toEqual({ readOnlyHint: false, destructiveHint: true, idempotentHint: false })
  })

  it('takes a tool that its server does not call read-only for destructive, as the protocol does', () => {
    expect(tightenAnnotations('read', { readOnlyHint: false }).destructiveHint).toBe(true)
    expect(tightenAnnotations('read', { readOnlyHint: false, destructiveHint: false }).destructiveHint).toBe(false)
  })

  it('passes title and openWorldHint, and drops hints that it does not know', () => {
    const given = { title: 'Search', openWorldHint: false, trustMeHint: true }
    expect(tightenAnnotations('read', given)).toMatchObject({ title: 'Search', openWorldHint: false })
    expect(tightenAnnotations('read', given)).not.toHaveProperty('trustMeHint')
  })
})
