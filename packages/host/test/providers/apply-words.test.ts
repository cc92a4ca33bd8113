import type { OperatorWords, ToolTraits } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { applyWords } from '../../src/providers/apply-words.ts'
import type { ListedTool } from '../../src/providers/provider.ts'

const builtin = { kind: 'builtin', appId: 'notes' } as const
const external = { kind: 'mcp', appId: 'notes' } as const

function listed(traits: Partial<ToolTraits> = {}, more: Partial<ListedTool> = {}): ListedTool {
  return { name: 'act', definition: { inputSchema: { type: 'object' } }, traits, ...more }
}

const strict: ToolTraits = {
  effect: 'write',
  dataClass: 'secretAdjacent',
  group: 'notes',
  adminOnly: false,
  approval: 'always',
  zone: 'externalGlobal',
}

describe('an external tool', () => {
  it('R-SEC-06 counts as the strictest, whatever it says about itself', () => {
    const harmless: ToolTraits = {
      effect: 'read',
      dataClass: 'publicContent',
      group: 'x',
      adminOnly: false,
      approval: 'notNeeded',
    }
    const tool = listed(harmless, {
      definition: { inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
    })
    expect(applyWords(tool, undefined, external)).toEqual({ traits: strict, off: false, noPreset: true })
  })

  it('needs a preset, or class, effect and approval', () => {
    const needs = (words: OperatorWords) => applyWords(listed(), words, external).noPreset
    expect(needs({ dataClass: 'publicContent', effect: 'read' })).toBe(true)
    expect(needs({ dataClass: 'publicContent', effect: 'read', approval: 'always' })).toBe(false)
    expect(needs({ dataClass: 'publicContent', tools: { act: { effect: 'read', approval: 'always' } } })).toBe(false)
    expect(needs({ dataClass: 'publicContent', tools: { other: { effect: 'read', approval: 'always' } } })).toBe(true)
    expect(needs({ preset: 'docs' })).toBe(false)
    expect(needs({ preset: 'nonsense' })).toBe(true)
    expect(needs({ preset: 'toString' })).toBe(true)
  })

  it('starts off where its preset says so for its effect', () => {
    const off = (words: OperatorWords) => applyWords(listed(), words, external).off
    expect(off({ preset: 'docs' })).toBe(true)
    expect(off({ preset: 'docs', effect: 'read' })).toBe(false)
    expect(off({ preset: 'saas' })).toBe(false)
    expect(off({ preset: 'docs', off: false })).toBe(false)
    expect(off({ preset: 'docs', effect: 'read', tools: { act: { off: true } } })).toBe(true)
  })

  it('asks for writes where the operator says `writes`', () => {
    const approval = (words: OperatorWords) => applyWords(listed(), words, external).traits.approval
    expect(approval({ preset: 'saas' })).toBe('always')
    expect(approval({ preset: 'saas', effect: 'read' })).toBe('notNeeded')
    expect(approval({ preset: 'saas', effect: 'read', approval: 'always' })).toBe('always')
    expect(approval({ preset: 'database', effect: 'read' })).toBe('always')
  })
})

describe('the order of strength', () => {
  it('is tool, provider, preset, author', () => {
    const author = listed({ effect: 'read', dataClass: 'systemDiagnostics', group: 'own' })
    const classOf = (words?: OperatorWords) => applyWords(author, words, builtin).traits.dataClass
    expect(classOf()).toBe('systemDiagnostics')
    expect(classOf({ preset: 'docs' })).toBe('publicContent')
    expect(classOf({ preset: 'docs', dataClass: 'sourceCode' })).toBe('sourceCode')
    expect(classOf({ preset: 'docs', dataClass: 'sourceCode', tools: { act: { dataClass: 'editorContent' } } })).toBe(
      'editorContent',
    )
    expect(applyWords(author, undefined, builtin).traits.group).toBe('own')
  })

  it('finds the strictest behind a word that nobody knows', () => {
    const words = { effect: 'reed', dataClass: 'public' } as unknown as OperatorWords
    expect(applyWords(listed({ effect: 'read', dataClass: 'publicContent' }), words, builtin).traits).toEqual({
      ...strict,
      zone: 'local',
    })
  })

  it('takes no tool for another one by a name that every object has', () => {
    const tool = { ...listed(), name: 'constructor' }
    expect(applyWords(tool, { tools: {} }, external).traits).toEqual(strict)
  })
})

describe('a builtin tool', () => {
  it('asks when it writes and its author says nothing, also when the operator says that it writes', () => {
    const approval = (traits: Partial<ToolTraits>, words?: OperatorWords) =>
      applyWords(listed(traits), words, builtin).traits.approval
    expect(approval({ effect: 'read' })).toBe('notNeeded')
    expect(approval({ effect: 'idempotentWrite' })).toBe('always')
    expect(approval({ effect: 'read' }, { effect: 'write' })).toBe('always')
    expect(approval({ effect: 'write', approval: 'notNeeded' })).toBe('notNeeded')
  })

  it('keeps the question of its author unless the operator speaks', () => {
    const tool = listed({ effect: 'write', approval: 'byArguments' }, { needsApproval: () => true })
    expect(applyWords(tool, undefined, builtin).traits.approval).toBe('byArguments')
    expect(applyWords(tool, { dataClass: 'sourceCode' }, builtin).traits.approval).toBe('byArguments')
    expect(applyWords(tool, { approval: 'notNeeded' }, builtin).traits.approval).toBe('notNeeded')
    expect(applyWords(listed({ approval: 'byArguments' }), undefined, builtin).traits.approval).toBe('always')
  })

  it('stays for administrators unless the operator says that it is not', () => {
    const adminOnly = (words?: OperatorWords) =>
      applyWords(listed({ adminOnly: true }), words, builtin).traits.adminOnly
    expect(adminOnly()).toBe(true)
    expect(adminOnly({ preset: 'docs' })).toBe(true)
    expect(adminOnly({ adminOnly: false })).toBe(false)
    expect(applyWords(listed(), { preset: 'system' }, builtin).traits.adminOnly).toBe(true)
  })

  it('starts off when it writes or its author says so; the operator may switch it on', () => {
    const off = (tool: ListedTool, words?: OperatorWords) => applyWords(tool, words, builtin).off
    expect(off(listed({ effect: 'read' }))).toBe(false)
    expect(off(listed({ effect: 'idempotentWrite' }))).toBe(true)
    expect(off(listed({ effect: 'read' }, { startsOff: true }))).toBe(true)
    expect(off(listed({ effect: 'write' }), { off: false })).toBe(false)
    expect(off(listed({ effect: 'write' }), { preset: 'workspace' })).toBe(false)
    expect(off(listed({ effect: 'read' }, { startsOff: true }), { preset: 'workspace' })).toBe(true)
  })
})
