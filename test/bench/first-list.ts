import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { execa } from 'execa'
import { root } from '../list-files.ts'
import type { BuiltProject } from './built-project.ts'
import { type Figure, median, ms } from './figure.ts'

const runs = 7
const everything = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js')

/** From spawn to the first answer to tools/list over stdio, with 1 and 20 configured servers, one of which hangs. */
export async function measureFirstList(project: BuiltProject): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const count of [1, 20]) {
    const folder = await mkdtemp(join(tmpdir(), 'rollcall-first-list-'))
    try {
      await prepare(project, folder, count)
      const times: number[] = []
      const cli = join(project.folder, 'node_modules/rollcall/dist/main.mjs')
      const direct: number[] = []
      const words = ['serve', '--stdio', '--profile', 'default', '--config', join(folder, 'rollcall.config.json')]
      await firstList(process.execPath, [cli, ...words], folder)
      for (let run = 0; run < runs; run++) {
        direct.push(await firstList(process.execPath, [everything, 'stdio'], folder))
        times.push(await firstList(process.execPath, [cli, ...words], folder))
      }
      figures.push({
        name: `first tools/list after spawn, ${count} configured server${count === 1 ? '' : 's, one hung'}`,
        median: ms(median(times)),
        beside: `server-everything itself: ${ms(median(direct))}; ratio ${median(times.map((took, run) => took / (direct[run] ?? Number.NaN))).toFixed(2)}`,
        runs,
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  return figures
}

async function prepare(project: BuiltProject, folder: string, count: number): Promise<void> {
  const words = { dataClass: 'publicContent', effect: 'read', approval: 'notNeeded' }
  const sound = Object.fromEntries(
    Array.from({ length: count === 1 ? 1 : count - 1 }, (_, index) => [
      `s${index}`,
      { command: 'node', args: [everything, 'stdio'], ...words },
    ]),
  )
  const hung = { hung: { command: 'node', args: ['-e', 'setInterval(() => {}, 1000)'], ...words } }
  const config = {
    providers: { ...sound, ...(count === 1 ? {} : hung) },
    mcp: { limits: { connectTimeoutMs: 10_000 } },
  }
  await writeFile(join(folder, 'rollcall.config.json'), JSON.stringify(config))
  const cli = join(project.folder, 'node_modules/rollcall/dist/main.mjs')
  await execa(
    process.execPath,
    [cli, 'sync', ...Object.keys(sound), '--config', join(folder, 'rollcall.config.json')],
    { cwd: folder, env: { XDG_CACHE_HOME: join(folder, 'cache') } },
  )
}

async function firstList(command: string, args: string[], cwd: string): Promise<number> {
  const client = new Client({ name: 'bench', version: '1.0.0' })
  // Its cache of compiled code is the folder's own.
  const env = { ...getDefaultEnvironment(), XDG_CACHE_HOME: join(cwd, 'cache') }
  const began = performance.now()
  await client.connect(new StdioClientTransport({ command, args, cwd, env, stderr: 'ignore' }))
  const { tools } = await client.listTools()
  const took = performance.now() - began
  await client.close()
  if (tools.length === 0) throw new TypeError('no tools were listed')
  return took
}
