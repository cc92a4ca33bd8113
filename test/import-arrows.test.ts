import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { findGlobals } from './find-globals.ts'
import { listFiles, root } from './list-files.ts'

// Which workspace packages each one may import; `types` only for those in the second list.
const allowed: Readonly<Record<string, { readonly run: readonly string[]; readonly types: readonly string[] }>> = {
  'packages/plugin': { run: [], types: [] },
  'packages/host': { run: ['@rollcall/plugin'], types: [] },
  'packages/mcp': { run: ['@rollcall/plugin'], types: ['@rollcall/host'] },
  'packages/cli': { run: ['@rollcall/plugin', '@rollcall/host', '@rollcall/host/config', '@rollcall/mcp'], types: [] },
}

// Third-party packages that one file or one folder imports, so that they can be replaced there.
const fenced: Readonly<Record<string, RegExp>> = {
  mitt: /^packages\/host\/src\/events\/create-bus\.ts$/,
  cosmiconfig: /^packages\/host\/src\/config\//,
  execa: /^packages\/mcp\/src\/transports\/|^packages\/cli\/src\//,
  pino: /^packages\/cli\/src\//,
  undici: /^packages\/host\/src\/outbound\//,
  '@modelcontextprotocol/sdk': /^packages\/mcp\/src\/(session-era|serve|transports)\//,
  '@modelcontextprotocol/client': /^packages\/mcp\/src\/stateless-era\//,
  '@modelcontextprotocol/server': /^packages\/mcp\/src\/serve\/stateless\//,
}

// The rooms of the host in the order of the flow: a room imports types of earlier rooms and of ports only.
const rooms = [
  'config',
  'plugins',
  'events',
  'discovery',
  'providers',
  'catalogue',
  'switches',
  'gate',
  'guardrails',
  'invoke',
  'offer',
  'report',
]

interface Import {
  readonly file: string
  readonly from: string
  readonly typeOnly: boolean
  /** What it takes from there by name; a whole module has none. */
  readonly names: readonly string[]
}

const imports: Import[] = []
for (const path of await listFiles(/\/src\/.*\.ts$/)) {
  const file = path.slice(root.length)
  const text = await readFile(path, 'utf8')
  for (const [statement, , from = ''] of text.matchAll(/^(?:import|export)\b([^'"]*?)from '([^']+)'/gms)) {
    const names = /\{([^}]*)\}/.exec(statement)?.[1]
    const everyNameIsType = names?.split(',').every((name) => /^\s*(type\s|$)/.test(name)) === true
    const typeOnly = /^(import|export) type\b/.test(statement) || everyNameIsType
    imports.push({ file, from, typeOnly, names: valueNames(names) })
  }
  for (const [, from = ''] of text.matchAll(/import\('([^']+)'\)/g))
    imports.push({ file, from, typeOnly: false, names: [''] })
}

function valueNames(list: string | undefined): readonly string[] {
  const names = (list ?? '*').split(',').map((name) => name.trim())
  return names.filter((name) => name !== '' && !name.startsWith('type '))
}

describe('arrows between packages point downwards', () => {
  it.each(Object.entries(allowed))('%s', (folder, { run, types }) => {
    const wrong = imports
      .filter(({ file, from }) => file.startsWith(`${folder}/src/`) && /^(@rollcall\/|rollcall$)/.test(from))
      .filter(({ from, typeOnly }) => !run.includes(from) && !(typeOnly && types.includes(from)))
    expect(wrong).toEqual([])
  })

  it('first-party plugins import what any author imports', () => {
    const wrong = imports.filter(
      ({ file, from }) =>
        /^plugins\/[^/]+\/src\//.test(file) && /^@rollcall\//.test(from) && from !== '@rollcall/plugin',
    )
    expect(wrong).toEqual([])
  })
})

describe('a third-party package is imported in one place', () => {
  it.each(Object.entries(fenced))('%s', (name, place) => {
    const wrong = imports.filter(
      ({ file, from }) => (from === name || from.startsWith(`${name}/`)) && !place.test(file),
    )
    expect(wrong).toEqual([])
  })
})

it('nothing outside the legacy folder imports it, but for the one line of create-host.ts', () => {
  const inside = imports.filter(({ from }) => from.includes('discovery/legacy/') || from.startsWith('./legacy/'))
  expect(inside.map(({ file }) => file)).toEqual(['packages/host/src/create-host.ts'])
})

it('a room of the host runs nothing of a later room', () => {
  const place = (path: string) => rooms.indexOf(/^packages\/host\/src\/([^/]+)\//.exec(path)?.[1] ?? '')
  const wrong = imports
    .filter(({ file, from, typeOnly }) => !typeOnly && from.startsWith('../') && place(file) !== -1)
    .map(({ file, from }) => ({ file, target: new URL(from, `file:///${file}`).pathname.slice(1) }))
    .filter(({ file, target }) => place(target) > place(file))
  expect(wrong).toEqual([])
})

describe('only the outbound room of the host reaches the network', () => {
  const isOutbound = (file: string) => file.startsWith('packages/host/src/outbound/')
  // Reads an address, listens, or speaks to this machine's own host: none of it leads to anywhere else.
  const harmless = ({ file, names }: Import) =>
    names.every((name) => {
      if (name === 'isIP' || name === 'BlockList') return true
      if (file === 'packages/cli/src/listen.ts') return name === 'createServer'
      return file.startsWith('packages/cli/src/local-host/') && (name === 'createServer' || name === 'connect')
    })

  it('no other file imports what makes connections', () => {
    const clients = /^(?:node:)?(?:https?|http2|net|tls|dgram|dns|dns\/promises)$|^(?:undici|ws|eventsource|axios|got)$/
    const wrong = imports
      .filter(({ file, from, typeOnly }) => /^(packages|plugins)\//.test(file) && clients.test(from) && !typeOnly)
      .filter((found) => !isOutbound(found.file) && !harmless(found))
    expect(wrong).toEqual([])
  })

  const globals = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']

  it('no other file uses the global fetch: each is handed its own', async () => {
    const found = await findGlobals(globals, ['packages', 'plugins'])
    // Tests use it, so it is known to be looked for.
    expect(found.length).toBeGreaterThan(0)
    expect(found.filter((file) => /^[^/]+\/[^/]+\/src\//.test(file) && !isOutbound(file))).toEqual([])
    for (const path of await listFiles(/^(packages|plugins)\/[^/]+\/src\/.*\.ts$/)) {
      const text = await readFile(path, 'utf8')
      expect(text, path).not.toMatch(/globalThis\W+(?:fetch|WebSocket|EventSource)|biome-ignore.*noRestrictedGlobals/)
      // The SDKs take the global one where they are given none.
      expect(text, path).not.toMatch(/\bnew (?:StreamableHTTP|SSE)ClientTransport\((?![^;]*\bfetch\b)/s)
    }
  })

  it.each([
    ['await fetch(url)', 1],
    ['const get = fetch', 1],
    ['connect({ fetch })', 1],
    ['new WebSocket(url)', 1],
    ['const { fetch } = parts\nawait fetch(url)', 0],
    ['face.fetch(request)', 0],
  ])('which is seen in %j: %i', async (text, times) => {
    expect(await findGlobals(globals, [], `${text}\nexport {}`)).toEqual(Array(times).fill('text.ts'))
  })
})
