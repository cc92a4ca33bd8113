import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import type { BuiltProject } from '../built-project.ts'

/** A gateway in front of one server, and how it is started on a port. */
export interface Target {
  readonly name: string
  readonly kind: 'http' | 'sse'
  argv(port: number): readonly string[]
  readonly env?: (port: number) => Readonly<Record<string, string>>
}

export interface Targets extends AsyncDisposable {
  readonly rollcall: Target
  /** What it is compared with: the server's own HTTP first. */
  readonly others: readonly Target[]
  readonly folder: string
}

const versions = {
  'mcp-proxy': '6.7.19',
  'mcp-hub': '4.2.1',
  '@modelcontextprotocol/server-everything': '2026.8.31',
} as const

/** Installs the peers from the registry into a folder of their own and configures every gateway for the same server. */
export async function createTargets(project: BuiltProject): Promise<Targets> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-gateways-'))
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: versions }),
  )
  await execa('npm', ['install', '--no-audit', '--no-fund', '--silent'], { cwd: folder })
  const bin = (name: string) => join(folder, 'node_modules/.bin', name)
  const everything = join(folder, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js')
  await writeFile(
    join(folder, 'hub.json'),
    JSON.stringify({ mcpServers: { ev: { command: process.execPath, args: [everything, 'stdio'] } } }),
  )
  const cli = join(project.folder, 'node_modules/rollcall/dist/main.mjs')
  const argvOf = async (port: number) => {
    const file = join(folder, `rollcall-${port}.config.json`)
    const words = { dataClass: 'publicContent', effect: 'read', approval: 'notNeeded' }
    const ev = { command: 'node', args: [everything, 'stdio'], ...words }
    await writeFile(
      file,
      JSON.stringify({ providers: { ev }, profiles: { default: { zone: 'local' } }, http: { port } }),
    )
    await execa(process.execPath, [cli, 'sync', '--config', file], { cwd: folder })
    return [cli, 'serve', '--config', file]
  }
  const port = 4700
  const ours = await argvOf(port)
  return {
    folder,
    rollcall: { name: 'Rollcall', kind: 'http', argv: () => ours },
    others: [
      {
        name: 'direct HTTP',
        kind: 'http',
        argv: () => [everything, 'streamableHttp'],
        env: (at) => ({ PORT: String(at) }),
      },
      {
        name: 'mcp-proxy',
        kind: 'http',
        argv: (at) => [
          bin('mcp-proxy'),
          '--host',
          '127.0.0.1',
          '--port',
          String(at),
          '--',
          'node',
          everything,
          'stdio',
        ],
      },
      {
        name: 'mcp-hub (SSE)',
        kind: 'sse',
        argv: (at) => [bin('mcp-hub'), '--port', String(at), '--config', join(folder, 'hub.json')],
      },
    ],
    async [Symbol.asyncDispose]() {
      await execa('rm', ['-rf', folder])
    },
  }
}

/** The port that Rollcall's configuration names; the others get the ones after it. */
export const firstPort = 4700
