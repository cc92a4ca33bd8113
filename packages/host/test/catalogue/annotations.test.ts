import { effects, type JsonObject } from '@rollcall/plugin'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tightenAnnotations } from '../../src/catalogue/annotations.ts'

const hint = fc.constantFrom(true, false, undefined, 'yes')
const theirs = fc
  .record({ readOnlyHint: hint, destructiveHint: hint, idempotentHint: hint, openWorldHint: hint })
  .map((hints) => JSON.parse(JSON.stringify({ ...hints, title: 'Delete all', vendor: { x: 1 } })) as JsonObject)

function view(kind: 'builtin' | 'mcp', effect: (typeof effects)[number], annotations?: JsonObject) {
  return {
    kind,
    traits: { effect, dataClass: 'publicContent', group: 'g', adminOnly: false, approval: 'always' },
    definition: { inputSchema: { type: 'object' }, ...(annotations === undefined ? {} : { annotations }) },
  } as const
}

describe('tightenAnnotations', () => {
  it('R-SEC-19 never lets a tool look more harmless than our effect, nor than its server says', () => {
    fc.assert(
      fc.property(
        theirs,
        fc.constantFrom(...effects),
        fc.constantFrom('builtin' as const, 'mcp' as const),
        (hints, effect, kind) => {
          const ours = tightenAnnotations(view(kind, effect, hints))
          if (effect !== 'read' || hints.readOnlyHint === false) expect(ours.readOnlyHint).toBe(false)
          if (effect !== 'read' || hints.destructiveHint === true) expect(ours.destructiveHint).toBe(true)
          if (effect === 'write' || hints.idempotentHint === false) expect(ours.idempotentHint).toBe(false)
          for (const [key, value] of Object.entries(ours)) if (key.endsWith('Hint')) expect(value).toBeTypeOf('boolean')
          expect(ours).toMatchObject({ title: 'Delete all', vendor: { x: 1 } })
        },
      ),
    )
  })

  it('says of a reading tool without hints that it reads', () => {
    expect(tightenAnnotations(view('mcp', 'read'))).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
    })
  })

  it('passes on how far a tool reaches', () => {
    expect(tightenAnnotations(view('mcp', 'write', { openWorldHint: false })).openWorldHint).toBe(false)
  })
})
