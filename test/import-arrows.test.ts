import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
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
  '@modelcontextprotocol/sdk': /^packages\/mcp\/src\/(session-era|serve|transports)\//,
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
  'invoke',
  'offer',
  'report',
]

interface Import {
  readonly file: string
  readonly from: string
  readonly typeOnly: boolean
}

const imports: Import[] = []
for (const path of await listFiles(/\/src\/.*\.ts$/)) {
  const file = path.slice(root.length)
  const text = await readFile(path, 'utf8')
  for (const [statement, , from = ''] of text.matchAll(/^(?:import|export)\b([^'"]*?)from '([^']+)'/gms)) {
    const names = /\{([^}]*)\}/.exec(statement)?.[1]
    const everyNameIsType = names?.split(',').every((name) => /^\s*(type\s|$)/.test(name)) === true
    imports.push({ file, from, typeOnly: /^(import|export) type\b/.test(statement) || everyNameIsType })
  }
  for (const [, from = ''] of text.matchAll(/import\('([^']+)'\)/g)) imports.push({ file, from, typeOnly: false })
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
