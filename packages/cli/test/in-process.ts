import { Writable } from 'node:stream'
import type { Prompts } from '../src/output/prompts.ts'
import { runProgram } from '../src/program.ts'
import type { Project, Run } from './project.ts'

/** Runs a command line in this process: at the terminal of the person who answers, or without one. */
export async function runInProcess(project: Project, words: readonly string[], person?: Prompts): Promise<Run> {
  let stdout = ''
  let stderr = ''
  const write = (text: string) => {
    stdout += text
  }
  const code = await runProgram(['--config', 'rollcall.config.json', ...words], {
    output: { write, stream: new Writable(), flush: () => Promise.resolve() },
    writeErr: (text) => {
      stderr += text
    },
    outIsTerminal: person !== undefined,
    errIsTerminal: person !== undefined,
    inIsTerminal: person !== undefined,
    columns: 80,
    prompts: person ?? answering({}),
    cwd: project.folder,
    env: { ...project.env, NO_COLOR: '1' },
    signal: new AbortController().signal,
    commandName: 'rollcall',
  })
  return { code, stdout, stderr }
}

/** A person who gives these answers, and leaves every other question. */
export function answering(answers: {
  readonly confirm?: boolean
  readonly choose?: string | readonly string[]
  readonly text?: string
  readonly tick?: readonly string[]
  readonly pick?: string
}): Prompts {
  const keys = typeof answers.choose === 'string' ? [answers.choose] : [...(answers.choose ?? [])]
  return {
    confirm: async () => answers.confirm,
    choose: async () => keys.shift(),
    text: async () => answers.text,
    tick: async () => answers.tick,
    pick: async () => answers.pick,
  }
}
