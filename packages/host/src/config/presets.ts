import type { DataClass, OperatorWords, TrustZone } from '@rollcall/plugin'

export type PresetName = 'docs' | 'workspace' | 'saas' | 'browser' | 'database' | 'system' | 'memory' | 'watch'

/** One word for what an operator says about a kind of server; any key beside it overrides it. */
export interface Preset {
  readonly dataClass: DataClass
  /** Whether tools that read, and tools that write, start switched on. */
  readonly reads: 'on' | 'off'
  readonly writes: 'on' | 'off'
  readonly approval: 'always' | 'writes' | 'notNeeded'
  readonly adminOnly: boolean
  readonly isolation: NonNullable<OperatorWords['isolation']>
  /** Where what such a server is told goes to. */
  readonly zone: TrustZone
  /** `false`: a yes is never good for more than one call. */
  readonly grants?: false
  /** Well-known servers of this kind; they suggest the preset and never decide it. */
  readonly typical: readonly string[]
  readonly summary: string
}

/** The presets that there are, as data. Nothing is remembered between two writes: each one that needs a person asks. */
export const presets: Readonly<Record<PresetName, Preset>> = {
  docs: {
    dataClass: 'publicContent',
    reads: 'on',
    writes: 'off',
    approval: 'notNeeded',
    adminOnly: false,
    isolation: 'shared',
    zone: 'externalGlobal',
    typical: ['context7', 'exa', 'tavily'],
    summary: 'Public text to read: documentation and search. Writes are off.',
  },
  workspace: {
    dataClass: 'sourceCode',
    reads: 'on',
    writes: 'on',
    approval: 'writes',
    adminOnly: false,
    isolation: 'shared',
    zone: 'local',
    typical: ['filesystem', 'git'],
    summary: 'Files of this machine. Reads run, each write asks.',
  },
  saas: {
    dataClass: 'internalConfiguration',
    reads: 'on',
    writes: 'on',
    approval: 'writes',
    adminOnly: false,
    isolation: 'principal',
    zone: 'externalGlobal',
    typical: ['github', 'notion', 'slack'],
    summary: 'An account with a service. Reads run, each write asks; one connection a person.',
  },
  browser: {
    dataClass: 'editorContent',
    reads: 'on',
    writes: 'on',
    approval: 'writes',
    adminOnly: false,
    isolation: 'session',
    zone: 'externalGlobal',
    typical: ['playwright', 'chrome-devtools', 'puppeteer'],
    summary: 'A steered browser. Reads run, each write asks; one browser a session.',
  },
  database: {
    dataClass: 'secretAdjacent',
    reads: 'on',
    writes: 'off',
    approval: 'always',
    adminOnly: false,
    isolation: 'principal',
    zone: 'local',
    grants: false,
    typical: ['postgres', 'mongodb', 'sqlite'],
    summary: 'A database. Everything asks, writes are off.',
  },
  system: {
    dataClass: 'systemDiagnostics',
    reads: 'on',
    writes: 'off',
    approval: 'always',
    adminOnly: true,
    isolation: 'shared',
    zone: 'local',
    typical: ['kubernetes', 'system-monitor'],
    summary: 'Machines and clusters. For administrators; everything asks, writes are off.',
  },
  memory: {
    dataClass: 'editorContent',
    reads: 'on',
    writes: 'on',
    approval: 'writes',
    adminOnly: false,
    isolation: 'principal',
    zone: 'local',
    typical: ['memory'],
    summary: 'Notes that a model keeps. Reads run, each write asks; one memory a person.',
  },
  watch: {
    dataClass: 'secretAdjacent',
    reads: 'on',
    writes: 'off',
    approval: 'always',
    adminOnly: false,
    isolation: 'principal',
    zone: 'externalGlobal',
    typical: [],
    summary: 'A server that nobody knows yet. Everything asks, writes are off, nothing leaves this machine.',
  },
}

/** The preset of that name; `undefined` for any other text. */
export function presetOf(name: string | undefined): Preset | undefined {
  return name !== undefined && Object.hasOwn(presets, name) ? presets[name as PresetName] : undefined
}
