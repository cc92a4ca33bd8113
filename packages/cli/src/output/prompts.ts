import type { Readable, Writable } from 'node:stream'

/** One of a few answers. */
export interface Choice {
  readonly key: string
  readonly label: string
  /** Where the question starts: what Enter alone takes. Otherwise that is the first choice. */
  readonly initial?: boolean
}

/** An entry of a list of which several may be ticked. */
export interface Tick {
  readonly value: string
  readonly label: string
  readonly hint?: string
  readonly ticked: boolean
}

/** Where a person is asked. Every question gives `undefined` when the person leaves it (Escape, Ctrl-C) or `signal` aborts. */
export interface Prompts {
  /** Enter without an answer means no. */
  confirm(question: string, signal?: AbortSignal): Promise<boolean | undefined>
  /** Enter takes the choice that is highlighted. */
  choose(question: string, choices: readonly Choice[], signal?: AbortSignal): Promise<string | undefined>
  text(question: string, options?: { readonly hidden?: boolean }): Promise<string | undefined>
  tick(question: string, entries: readonly Tick[]): Promise<readonly string[] | undefined>
  pick(
    question: string,
    entries: readonly { readonly value: string; readonly label: string }[],
  ): Promise<string | undefined>
}

/** Asks on the terminal, on standard error: standard output keeps the result. */
export function createTerminalPrompts(
  terminal: { readonly input: Readable; readonly output: Writable } = { input: process.stdin, output: process.stderr },
): Prompts {
  const { input, output } = terminal
  // Loaded at the first question: most commands never ask one.
  const clack = () => import('@clack/prompts')
  return {
    async confirm(message, signal) {
      const { confirm } = await clack()
      return given(await confirm({ message, initialValue: false, input, output, ...(signal && { signal }) }))
    },
    async choose(message, choices, signal) {
      const { select } = await clack()
      const options = choices.map(({ key, label }) => ({ value: key, label }))
      const initial = choices.find((choice) => choice.initial === true)?.key
      return given(
        await select({
          message,
          options,
          input,
          output,
          ...(initial !== undefined && { initialValue: initial }),
          ...(signal && { signal }),
        }),
      )
    },
    async text(message, options) {
      const { password, text } = await clack()
      return given(
        options?.hidden === true ? await password({ message, input, output }) : await text({ message, input, output }),
      )
    },
    async tick(message, entries) {
      const { multiselect } = await clack()
      const options = entries.map(({ value, label, hint }) => ({ value, label, ...(hint !== undefined && { hint }) }))
      const initialValues = entries.filter(({ ticked }) => ticked).map(({ value }) => value)
      return given(await multiselect({ message, options, initialValues, required: false, input, output }))
    },
    async pick(message, entries) {
      const { select } = await clack()
      return given(await select({ message, options: [...entries], input, output }))
    },
  }
}

// A question that is left gives a symbol instead of an answer.
function given<T>(answer: T): Exclude<T, symbol> | undefined {
  return typeof answer === 'symbol' ? undefined : (answer as Exclude<T, symbol>)
}
