import { dataClasses, trustZones } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { presetOf, presets } from '../../src/config/presets.ts'

describe('presets', () => {
  it.each(Object.entries(presets))('%s speaks the words of classes and zones', (_, preset) => {
    expect(dataClasses).toContain(preset.dataClass)
    expect(trustZones).toContain(preset.zone)
    expect(preset.summary.length).toBeGreaterThan(20)
  })

  it.each(Object.entries(presets))('%s asks for whatever may write', (_, { writes, approval }) => {
    if (writes === 'on') expect(approval).not.toBe('notNeeded')
  })

  it('an unknown server is watched: secret, off for writes, asked about always', () => {
    expect(presets.watch).toMatchObject({ dataClass: 'secretAdjacent', writes: 'off', approval: 'always' })
  })

  it('are found by their names only', () => {
    expect(presetOf('docs')).toBe(presets.docs)
    expect([presetOf(undefined), presetOf('Docs'), presetOf('constructor')]).toEqual([undefined, undefined, undefined])
  })
})
