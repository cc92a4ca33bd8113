import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { root } from '../list-files.ts'
import type { BuiltProject } from './built-project.ts'
import { type Figure, median, ms } from './figure.ts'

const runs = 11
const plugins = 10
const everything = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js')

/** `rollcall tools` from its start to its end, with ten plugins and one pinned server, beyond a Node that does nothing. */
export async function measureCliTools(project: BuiltProject): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-tools-'))
  try {
    const cli = join(project.folder, 'node_modules/rollcall/dist/main.mjs')
    const rollcall = (...words: string[]) =>
      lasting([cli, ...words, '--config', join(folder, 'rollcall.config.json')], folder)
    await prepare(project, folder)
    await rollcall('sync', 'everything')
    const bare: number[] = []
    const tools: number[] = []
    for (let run = 0; run <= runs; run++) {
      const empty = await lasting(['-e', ''], folder)
      const took = await rollcall('tools')
      // The first run fills the disk's cache and Node's.
      if (run === 0) continue
      bare.push(empty)
      tools.push(took)
    }
    const extra = median(tools.map((took, run) => took - (bare[run] ?? 0)))
    return [
      {
        name: `\`rollcall tools\`, ${plugins} plugins and a pinned server, beyond bare Node`,
        median: ms(extra),
        beside: `bare Node ${ms(median(bare))}`,
        runs,
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function lasting(words: readonly string[], cwd: string): Promise<number> {
  const began = performance.now()
  // Its cache of compiled code is the folder's own.
  await execa(process.execPath, words, { cwd, env: { XDG_CACHE_HOME: join(cwd, 'cache') } })
  return performance.now() - began
}

async function prepare(project: BuiltProject, folder: string): Promise<void> {
  const names = Array.from({ length: plugins }, (_, index) => `p${index}`)
  for (const name of names) await writePlugin(project, join(folder, name), name)
  const words = { dataClass: 'publicContent', effect: 'read', approval: 'notNeeded' }
  const config = {
    plugins: names.map((name) => `./${name}`),
    providers: { everything: { command: 'node', args: [everything, 'stdio'], ...words } },
  }
  await writeFile(join(folder, 'rollcall.config.json'), JSON.stringify(config))
}

async function writePlugin(project: BuiltProject, home: string, name: string): Promise<void> {
  await mkdir(home)
  await writeFile(
    join(home, 'package.json'),
    JSON.stringify({ name, version: '1.0.0', type: 'module', main: './index.js', rollcall: { appId: name } }),
  )
  await writeFile(
    join(home, 'index.js'),
    `import { definePlugin, defineTool, RegisterToolProvidersEvent, Type } from '${project.url('@rollcall/plugin')}'
const tool = defineTool({
  name: 'greet',
  description: 'Greets.',
  input: Type.Object({ name: Type.String() }),
  effect: 'read',
  dataClass: 'publicContent',
  execute: ({ name }) => name,
})
export default definePlugin({
  setup: ({ on }) => on(RegisterToolProvidersEvent, (event) => event.announce({ kind: 'builtin', tools: [tool] })),
})
`,
  )
}
