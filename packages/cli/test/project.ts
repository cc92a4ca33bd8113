import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const repository = join(import.meta.dirname, '../../..')
const main = join(import.meta.dirname, '../src/main.ts')

/** How one run of the command ended. */
export interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A project in a folder of its own, with a home of its own and the repository's packages installed. */
export interface Project extends AsyncDisposable {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  write(files: Readonly<Record<string, unknown>>): Promise<void>
  run(...words: readonly string[]): Promise<Run>
  /** `run` in a folder of the project. */
  runIn(folder: string, ...words: readonly string[]): Promise<Run>
  /** `run` with the project's configuration named, and so trusted. */
  runTrusted(...words: readonly string[]): Promise<Run>
  begin(...words: readonly string[]): Running
}

/** A command that has not ended yet. */
export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Run>
  /** Resolves when standard output matches; rejects when the command ends before. */
  output(pattern: RegExp): Promise<RegExpExecArray>
}

/** Makes a project; texts are written as they are, everything else as JSON. */
export async function makeProject(files: Readonly<Record<string, unknown>>): Promise<Project> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'rollcall-cli-')))
  const folder = join(root, 'project')
  const home = join(root, 'home')
  await mkdir(folder)
  await mkdir(home)
  await mkdir(join(folder, '.git'))
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'))
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    TMPDIR: tmpdir(),
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
  }
  const write = async (texts: Readonly<Record<string, unknown>>) => {
    for (const [path, content] of Object.entries(texts)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content, null, 2))
    }
  }
  await write(files)
  const running = new Set<ChildProcess>()
  const beginIn = (cwd: string, ...words: readonly string[]): Running => {
    const child = spawn(process.execPath, [main, ...words], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
    running.add(child)
    const started = watch(child)
    void started.ended.finally(() => running.delete(child))
    return started
  }
  const runIn = (cwd: string, ...words: readonly string[]) => {
    const started = beginIn(cwd, ...words)
    started.child.stdin?.end()
    return started.ended
  }
  const run = (...words: readonly string[]) => runIn(folder, ...words)
  return {
    folder,
    env,
    write,
    begin: (...words) => beginIn(folder, ...words),
    run,
    runIn: (name, ...words) => runIn(join(folder, name), ...words),
    runTrusted: (...words) => run('--config', 'rollcall.config.json', ...words),
    async [Symbol.asyncDispose]() {
      for (const child of running) child.kill('SIGKILL')
      await rm(root, { recursive: true, force: true })
    },
  }
}

function watch(child: ChildProcess): Running {
  let stdout = ''
  let stderr = ''
  const waiting = new Set<() => void>()
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    for (const look of waiting) look()
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<Run>((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })))
  const output = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(stdout)
        if (found === null) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
      void ended.then((run) => reject(new TypeError(`ended without ${pattern}: ${JSON.stringify(run)}`)))
    })
  return { child, ended, output }
}

/** A plugin folder: its manifest and an entry whose tools are given as source text. */
export function pluginFiles(appId: string, tools: string, before = ''): Readonly<Record<string, unknown>> {
  return {
    [`plugins/${appId}/package.json`]: {
      name: appId,
      version: '1.0.0',
      type: 'module',
      rollcall: { appId, entry: './plugin.js' },
    },
    [`plugins/${appId}/plugin.js`]: `import { definePlugin, defineTool, RegisterToolProvidersEvent, Type } from '@rollcall/plugin'
${before}
export default definePlugin({
  setup({ on }) {
    on(RegisterToolProvidersEvent, (event) => event.announce({ kind: 'builtin', tools: [${tools}] }))
  },
})
`,
  }
}

/** Source text of tools for `pluginFiles`. */
export const toolSource = {
  greet: `defineTool({ name: 'greet', description: 'Greets.', input: Type.Object({ name: Type.String() }), effect: 'read', dataClass: 'publicContent', execute: ({ name }) => 'Hello, ' + name + '!' })`,
  fail: `defineTool({ name: 'fail', description: 'Fails.', effect: 'read', dataClass: 'publicContent', execute: () => { throw new TypeError('no luck') } })`,
  save: `defineTool({ name: 'save', description: 'Saves.', input: Type.Object({ text: Type.String() }), effect: 'write', dataClass: 'publicContent', preview: ({ text }) => ['saves ' + text], execute: ({ text }) => 'Saved ' + text + '.' })`,
  secret: `defineTool({ name: 'secret', description: 'Tells a secret.', effect: 'read', dataClass: 'secretAdjacent', execute: () => 'hush' })`,
  slow: `defineTool({ name: 'slow', description: 'Takes long.', effect: 'read', dataClass: 'publicContent', execute: () => new Promise(() => console.log('SLOW')) })`,
}
