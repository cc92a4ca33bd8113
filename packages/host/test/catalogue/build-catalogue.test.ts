import { defineTool, type JsonObject, type OperatorWords, type Principal, silentLogger, Type } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { buildCatalogue } from '../../src/catalogue/build-catalogue.ts'
import type { CatalogueEntry, ProviderReport } from '../../src/catalogue/catalogue.ts'
import { diffCatalogues } from '../../src/catalogue/diff-catalogues.ts'
import { toView } from '../../src/catalogue/to-view.ts'
import { estimateTokens } from '../../src/catalogue/tokens.ts'
import type { Claim } from '../../src/discovery/claim.ts'
import { type Listed, listTools } from '../../src/providers/list-tools.ts'
import { openBuiltin } from '../../src/providers/open-builtin.ts'
import type { Listing, OpenProvider, ProviderCall } from '../../src/providers/provider.ts'
import { createManualClock } from '../../src/testing/manual-clock.ts'

const clock = createManualClock()

function claim(appId: string, kind: 'builtin' | 'mcp', more: Partial<Claim> = {}): Claim {
  return {
    appId,
    plugin: kind === 'mcp' ? 'configuration' : `${appId}-plugin`,
    version: '1.0.0',
    source: kind === 'mcp' ? 'configured' : 'announced',
    order: 0,
    provider: kind === 'mcp' ? { kind, server: { command: 'x' } } : { kind, tools: [] },
    from: kind === 'mcp' ? 'providers.x' : `./plugins/${appId}`,
    ...more,
  }
}

function provider(call: OpenProvider['call'] = async (tool, args) => ({ structured: { tool, args } })): OpenProvider {
  return { list: async () => listing([]), call, async [Symbol.asyncDispose]() {} }
}

function listing(tools: readonly unknown[], more: Partial<Listing> = {}): Listing {
  return { tools, holds: [], findings: [], detail: '', ...more }
}

function external(appId: string, tools: readonly unknown[], more: Partial<Listing> = {}): Listed {
  return {
    claim: claim(appId, 'mcp'),
    open: provider(),
    listing: listing(tools, { detail: 'mcp, stdio, running', ...more }),
    durationMs: 3,
  }
}

async function builtin(appId: string, tools: Parameters<typeof openBuiltin>[0]['provider']['tools']): Promise<Listed> {
  const own = { ...claim(appId, 'builtin'), provider: { kind: 'builtin' as const, tools } }
  const [listed] = await listTools([{ claim: own, open: openBuiltin(own) }], { clock })
  if (listed === undefined) expect.unreachable()
  return listed
}

const tool = (name: string, definition: JsonObject = {}) => ({
  name,
  definition: { inputSchema: { type: 'object' }, ...definition },
})

const reading = { dataClass: 'publicContent', effect: 'read', approval: 'notNeeded' } as const

function build(
  listed: readonly Listed[],
  words: Readonly<Record<string, OperatorWords>> = {},
  reports: readonly ProviderReport[] = [],
) {
  return buildCatalogue({ generation: 7, listed, words: new Map(Object.entries(words)), reports, findings: [], clock })
}

function entryOf(catalogue: ReturnType<typeof build>, name: string): CatalogueEntry {
  const entry = catalogue.entries.get(name)
  if (entry === undefined) expect.unreachable(`no ${name} among ${[...catalogue.entries.keys()]}`)
  return entry
}

const principal: Principal = { kind: 'user', id: 'ann', person: 'ann', admin: false, scopes: [] }
const call: ProviderCall = {
  principal,
  profile: 'default',
  callId: 'c1',
  idempotencyKey: 'k1',
  signal: new AbortController().signal,
  logger: silentLogger,
  progress() {},
  definition: `sha256:${'0'.repeat(64)}`,
  timeoutMs: 1_000,
  effect: 'read',
}

describe('the order of a catalogue', () => {
  it('is that of the roll, then that of each provider', async () => {
    const catalogue = build([external('zoo', [tool('b'), tool('a')]), external('ant', [tool('c')])])
    expect([...catalogue.entries.keys()]).toEqual(['zoo__b', 'zoo__a', 'ant__c'])
    expect(catalogue.providers.map(({ appId }) => appId)).toEqual(['zoo', 'ant'])
    expect(catalogue.generation).toBe(7)
  })

  it('ends with what others report about providers that listed nothing', () => {
    const lost = {
      ...(build([external('zoo', [])]).providers[0] as ProviderReport),
      appId: 'lost',
      state: 'skipped' as const,
    }
    expect(build([external('zoo', [])], {}, [lost]).providers.map(({ appId }) => appId)).toEqual(['zoo', 'lost'])
  })
})

describe('an entry', () => {
  it('shows frozen data only; the ways to run it are not copied', async () => {
    const [entry] = build([external('notes', [tool('a.b')])]).entries.values()
    if (entry === undefined) expect.unreachable()
    expect(Object.values(entry).some((value) => typeof value === 'function')).toBe(false)
    expect('invoke' in { ...entry }).toBe(false)
    expect('invoke' in toView(entry)).toBe(false)
    expect(toView(entry)).toEqual({ ...entry })
    expect(Object.isFrozen(entry)).toBe(true)
    expect(Object.isFrozen(entry.definition.inputSchema)).toBe(true)
    expect(entry.original).toBe('a.b')
  })

  it('R-DISC-15 reaches its own provider by the original name, whatever titles say', async () => {
    const seen: string[] = []
    const watch = (appId: string) =>
      provider(async (name) => {
        seen.push(`${appId}/${name}`)
        return {}
      })
    const catalogue = build([
      { ...external('one', [tool('read', { title: 'write' })]), open: watch('one') },
      { ...external('two', [tool('write', { title: 'one__read' })]), open: watch('two') },
    ])
    await entryOf(catalogue, 'one__read').invoke({}, call)
    await entryOf(catalogue, 'two__write').invoke({}, call)
    expect(seen).toEqual(['one/read', 'two/write'])
  })

  it('checks arguments against the original schema', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
    const entry = entryOf(build([external('notes', [tool('a', { inputSchema: schema })])]), 'notes__a')
    expect(entry.parse({ n: 1 })).toEqual({ ok: true, value: { n: 1 } })
    expect(entry.parse({})).toEqual({ ok: false, message: '/n is missing' })
  })

  it('asks a person when `when` throws, promises, or says so', async () => {
    const asking = (when: (args: { n: number }) => unknown) =>
      defineTool({
        name: 'set',
        description: 'Sets n.',
        input: Type.Object({ n: Type.Number() }),
        effect: 'write',
        dataClass: 'publicContent',
        approval: { when: when as () => boolean },
        execute: () => '',
      })
    const asks = async (when: (args: { n: number }) => unknown) =>
      entryOf(build([await builtin('notes', [asking(when)])]), 'notes__set').needsApproval({ n: 2 })
    expect(await asks(({ n }) => n > 1)).toBe(true)
    expect(await asks(({ n }) => n > 2)).toBe(false)
    expect(await asks(() => Promise.resolve(false))).toBe(true)
    expect(
      await asks(() => {
        throw null
      }),
    ).toBe(true)
  })
})

describe('a preview', () => {
  const previewOf = (preview: () => unknown) => {
    const listed: Listed = { ...external('notes', [{ ...tool('a'), preview }]), claim: claim('notes', 'builtin') }
    return entryOf(build([listed]), 'notes__a').preview({})
  }

  it('has at most 20 lines of 500 characters', async () => {
    const lines = await previewOf(() => ['x'.repeat(900), 'two\nthree', ...Array.from({ length: 30 }, () => 'y')])
    expect(lines).toHaveLength(20)
    expect(lines[0]).toHaveLength(500)
    expect(lines.slice(1, 3)).toEqual(['two', 'three'])
  })

  it('R-SEC-29 shows hidden characters as escapes', async () => {
    expect((await previewOf(() => ['\u001b[2Jdone'])).join()).not.toContain('\u001b')
  })

  it.each<[string, () => unknown, RegExp]>([
    [
      'throws',
      () => {
        throw new Error('no disk')
      },
      /preview failed: no disk/,
    ],
    [
      'throws nothing readable',
      () => {
        throw null
      },
      /preview failed/,
    ],
    ['gives no list', () => 'text', /no list of lines/],
    ['gives what has no text', () => [Object.create(null)], /preview failed/],
  ])('that %s is told in one line', async (_, preview, line) => {
    const lines = await previewOf(preview)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(line)
  })

  it('that never ends is given up after five seconds', async () => {
    const pending = previewOf(() => new Promise(() => {}))
    await clock.advance(5_000)
    expect((await pending)[0]).toMatch(/preview failed: .*5,000 ms/)
  })
})

describe('holds', () => {
  const by = (entry: CatalogueEntry) => entry.holds.map((hold) => hold.by)

  it('an external tool about which too little is said needs a preset', () => {
    const catalogue = build([external('notes', [tool('a')])])
    expect(entryOf(catalogue, 'notes__a').holds).toEqual([{ by: 'noPreset', hint: 'rollcall preset notes <preset>' }])
    expect(catalogue.providers[0]).toMatchObject({
      state: 'held',
      code: 'PROVIDER_HELD',
      hint: 'rollcall preset notes <preset>',
    })
    expect(by(entryOf(build([external('notes', [tool('a')])], { notes: reading }), 'notes__a'))).toEqual([])
  })

  it('builtin tools that write, and what its author or the operator marks off, start off', async () => {
    const written = (name: string, effect: 'read' | 'write', startsOff?: boolean) =>
      defineTool({
        name,
        description: name,
        effect,
        dataClass: 'publicContent',
        ...(startsOff === undefined ? {} : { startsOff }),
        execute: () => '',
      })
    const listed = await builtin('notes', [
      written('get', 'read'),
      written('set', 'write'),
      written('odd', 'read', true),
    ])
    const catalogue = build([listed], { notes: { tools: { get: { off: true } } } })
    expect(entryOf(catalogue, 'notes__set').holds).toEqual([{ by: 'default', hint: 'rollcall enable notes__set' }])
    expect(by(entryOf(catalogue, 'notes__odd'))).toEqual(['default'])
    expect(by(entryOf(catalogue, 'notes__get'))).toEqual(['default'])
    expect(by(entryOf(build([listed], { notes: { off: false } }), 'notes__set'))).toEqual([])
  })

  it('of a provider hold all of its tools and the provider', () => {
    const hold = { by: 'launchChanged', hint: 'rollcall sync --accept notes' } as const
    const catalogue = build([external('notes', [tool('a')], { holds: [hold] })], { notes: reading })
    expect(entryOf(catalogue, 'notes__a').holds).toEqual([hold])
    expect(catalogue.providers[0]).toMatchObject({ state: 'held', code: 'PROVIDER_HELD', hint: hold.hint, tools: 1 })
  })
})

describe('a provider', () => {
  it('with a bad tool is degraded and keeps the others', () => {
    const bad = tool('bad', { inputSchema: { type: 'string' } })
    const catalogue = build([external('notes', [tool('a'), bad, tool('c'), null])], { notes: reading })
    expect([...catalogue.entries.keys()]).toEqual(['notes__a', 'notes__c'])
    expect(catalogue.providers[0]).toMatchObject({
      state: 'degraded',
      code: 'TOOL_INVALID',
      tools: 2,
      message: '2 of the 4 tools of notes are dropped.',
    })
    expect(catalogue.findings.map(({ code }) => code)).toEqual(['TOOL_INVALID', 'TOOL_INVALID'])
  })

  it('that lists one name twice keeps the first', () => {
    const catalogue = build([external('notes', [tool('a', { title: 'first' }), tool('a', { title: 'second' })])], {
      notes: reading,
    })
    expect(entryOf(catalogue, 'notes__a').definition.title).toBe('first')
    expect(catalogue.findings).toMatchObject([{ code: 'TOOL_NAME_MET', about: { appId: 'notes', tool: 'a' } }])
  })

  it('R-DISC-08 that could not be listed has failed; the others are complete', async () => {
    const failing: OpenProvider = { ...provider(), list: async () => null as never }
    const [failed] = await listTools([{ claim: claim('bad', 'mcp'), open: failing }], { clock })
    if (failed === undefined) expect.unreachable()
    const catalogue = build([failed, external('notes', [tool('a')])])
    expect(catalogue.providers[0]).toMatchObject({
      appId: 'bad',
      state: 'failed',
      phase: 'list',
      code: 'PROVIDER_LIST_FAILED',
      tools: 0,
    })
    expect([...catalogue.entries.keys()]).toEqual(['notes__a'])
  })

  it('without tools is active', () => {
    expect(build([external('notes', [])])).toMatchObject({ providers: [{ state: 'active', tools: 0 }], findings: [] })
  })

  it('says where it comes from and whether it runs', async () => {
    const announced = { ...external('one', []), claim: claim('one', 'mcp', { source: 'announced', from: '@acme/one' }) }
    const reports = build([announced, external('two', []), await builtin('three', [])]).providers
    expect(reports.map(({ from }) => from)).toEqual([
      '@acme/one → mcp, stdio, running',
      'mcp, stdio, running',
      './plugins/three',
    ])
  })
})

describe('names that are awkward elsewhere', () => {
  const long = 'read_the_quarterly_report_of_the_department_for_the_given_region_and_year_v'
  const originals = [
    'catalog.get-entity',
    'files/read',
    'get weather',
    'größe',
    `${long}1`,
    `${long}2`,
    'a.b',
    'a_b',
    'a-b',
  ]

  it('are all offered, valid, different, and lead back to the tool, in whatever order they are listed', async () => {
    const catalogue = build(
      [
        external(
          'c04',
          [...originals, ''].map((name) => tool(name)),
        ),
      ],
      { c04: reading },
    )
    const names = [...catalogue.entries.keys()]
    expect(new Set(names).size).toBe(9)
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    for (const entry of catalogue.entries.values()) {
      expect(await entry.invoke({}, call)).toEqual({ structured: { tool: entry.original, args: {} } })
    }
    expect(catalogue.findings).toMatchObject([{ code: 'TOOL_INVALID', severity: 'warn' }])
    const reversed = build(
      [
        external(
          'c04',
          originals.toReversed().map((name) => tool(name)),
        ),
      ],
      { c04: reading },
    )
    expect([...reversed.entries.keys()].sort()).toEqual(names.sort())
  })
})

describe('diffCatalogues', () => {
  it('names what came, went and changed', async () => {
    const before = build([external('notes', [tool('same'), tool('gone'), tool('text'), tool('held')])], {
      notes: reading,
    })
    const words = { notes: { ...reading, tools: { held: { off: true } } } }
    const after = build(
      [external('notes', [tool('same'), tool('new'), tool('text', { title: 'x' }), tool('held')])],
      words,
    )
    expect(diffCatalogues(before, after)).toEqual({
      added: ['notes__new'],
      removed: ['notes__gone'],
      changed: ['notes__held', 'notes__text'],
    })
    expect(diffCatalogues(before, before)).toEqual({ added: [], removed: [], changed: [] })
  })

  it('sees another class or effect of the same definition', () => {
    const listed = [external('notes', [tool('a')])]
    const stricter = { notes: { ...reading, dataClass: 'secretAdjacent' } } as const
    expect(diffCatalogues(build(listed, { notes: reading }), build(listed, stricter)).changed).toEqual(['notes__a'])
  })
})

describe('estimateTokens', () => {
  it('is a quarter of the bytes that a model reads', () => {
    const definition = { description: 'ä'.repeat(100), inputSchema: { type: 'object' } }
    expect(estimateTokens({ name: 'notes__a', definition })).toBe(Math.ceil((8 + 200 + 17) / 4))
  })
})

describe('many tools', () => {
  it('are built again at little cost when their definitions are the same objects', () => {
    const definition = (n: number) => ({
      description: `Reads entry ${n}. `.repeat(8),
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 8 }, (_, k) => [`field${k}`, { type: 'string', description: `Field ${k} of ${n}.` }]),
        ),
      },
    })
    const listed = Array.from({ length: 100 }, (_, p) =>
      external(
        `app${p}`,
        Array.from({ length: 20 }, (_, t) => ({ name: `tool${t}`, definition: definition(p * 20 + t) })),
      ),
    )
    const timed = () => {
      const startedAt = performance.now()
      expect(build(listed).entries.size).toBe(2_000)
      return performance.now() - startedAt
    }
    const first = timed()
    expect(Math.min(timed(), timed(), timed())).toBeLessThan(first / 2)
  })
})

describe('words about a tool that is not there', () => {
  const found = (tools: readonly unknown[], ...names: readonly string[]) =>
    build([external('ext', tools)], {
      ext: { ...reading, tools: Object.fromEntries(names.map((name) => [name, { off: true }])) },
    }).findings.map(({ code, severity, message, hint }) => [code, severity, message, hint])

  it('are an error where a name is near: they were meant for a tool that goes without them', () => {
    expect(found([tool('get-env')], 'get-envv')).toEqual([
      [
        'TOOL_NOT_FOUND',
        'error',
        expect.stringContaining('providers.ext.tools["get-envv"]'),
        expect.stringContaining('"get-env"'),
      ],
    ])
  })

  it('are told where none is, and not while nothing is listed yet', () => {
    expect(found([tool('get-env')], 'something-else')).toEqual([
      ['TOOL_NOT_FOUND', 'warn', expect.any(String), expect.any(String)],
    ])
    expect(found([], 'get-env')).toEqual([])
    expect(found([tool('get-env')], 'get-env')).toEqual([])
  })
})
