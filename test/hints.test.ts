import { readFile } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { runProgram } from '../packages/cli/src/program.ts'
import { listFiles, root } from './list-files.ts'

/** A command that a text of ours tells a person to run. */
interface Told {
  readonly file: string
  readonly command: string
  /** The options that stand behind it. */
  readonly options: readonly string[]
}

async function helpOf(...words: readonly string[]): Promise<string> {
  let text = ''
  const write = (more: string) => {
    text += more
  }
  const nobody = async () => undefined
  await runProgram([...words, '--help'], {
    output: { write, stream: new Writable(), flush: async () => {} },
    writeErr: write,
    outIsTerminal: false,
    errIsTerminal: false,
    inIsTerminal: false,
    columns: 200,
    prompts: { confirm: nobody, choose: nobody, text: nobody, tick: nobody, pick: nobody },
    cwd: root,
    env: {},
    signal: new AbortController().signal,
    commandName: 'rollcall',
  })
  return text
}

/** Commands that have commands of their own. */
const parts: ReadonlyMap<string, readonly string[]> = new Map([
  ['new', ['plugin']],
  ['keys', ['add', 'list', 'revoke']],
  ['audit', ['export', 'verify', 'prune']],
  ['db', ['migrate', 'status', 'backup', 'restore']],
])

async function toldIn(file: string): Promise<readonly Told[]> {
  const text = await readFile(file, 'utf8')
  const code = text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
  // The sentence ends where something stands that belongs to no command line.
  return [...code.matchAll(/\brollcall ([a-z][a-z-]*)([^'"`\n.,;)]*)/g)].map(([, command = '', rest = '']) => ({
    file: file.slice(root.length),
    command,
    options: rest.match(/(?<=\s)--[a-z][a-z-]*/g) ?? [],
  }))
}

it('every text names only commands that exist, with options that they have', async () => {
  const help = await helpOf()
  const commands = new Set([...help.matchAll(/^ {2}([a-z][a-z-]*)(?: [[<]| {2,})/gm)].map(([, name = '']) => name))
  expect(commands).toContain('sync')
  const told = (await Promise.all((await listFiles(/^(packages|plugins)\/[^/]+\/src\//)).map(toldIn))).flat()
  expect(told.length).toBeGreaterThan(60)
  expect(told.filter(({ command }) => !commands.has(command))).toEqual([])

  const optionsOf = new Map<string, ReadonlySet<string>>()
  for (const command of new Set(told.map((one) => one.command))) {
    const own = await helpOf(command)
    const below = await Promise.all((parts.get(command) ?? []).map((part) => helpOf(command, part)))
    optionsOf.set(command, new Set([help, own, ...below].join('').match(/--[a-z][a-z-]*/g)))
  }
  const unknown = told.filter(({ command, options }) => options.some((option) => !optionsOf.get(command)?.has(option)))
  expect(unknown).toEqual([])
})
