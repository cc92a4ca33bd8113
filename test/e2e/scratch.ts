import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { root } from '../list-files.ts'

/** The entry of the command. */
export const main: string = join(root, 'packages/cli/src/main.ts')

/** How a program ended. */
export interface Ended {
  readonly code: number | undefined
  readonly stdout: string
  readonly stderr: string
}

/** A folder for state and home, and programs that know no other. */
export interface Scratch extends AsyncDisposable {
  /** Real path. */
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** Runs a Node program to its end. */
  node(args: readonly string[], options?: { readonly cwd?: string }): Promise<Ended>
  /** Runs the command on the repository's own configuration. */
  rollcall(...words: readonly string[]): Promise<Ended>
}

/** Makes the folder; disposing removes it. */
export async function openScratch(): Promise<Scratch> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'rollcall-e2e-')))
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    TMPDIR: tmpdir(),
    ROLLCALL_STATE_DIR: join(folder, 'state'),
    NO_COLOR: '1',
  }
  const node: Scratch['node'] = async (args, { cwd = root } = {}) => {
    const options = { cwd, env, extendEnv: false, reject: false, stdin: 'ignore', stripFinalNewline: false } as const
    const { exitCode, stdout, stderr } = await execa(process.execPath, args, options)
    return { code: exitCode, stdout, stderr }
  }
  return {
    folder,
    env,
    node,
    rollcall: (...words) => node([main, ...words]),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
