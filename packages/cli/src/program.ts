import type { Logger } from '@rollcall/plugin'
import { RollcallError } from '@rollcall/plugin'
import { Command, CommanderError } from 'commander'
import type { CommandContext } from './command-context.ts'
import { addCommands } from './commands/all.ts'
import { createLogger, type LogLevel } from './create-logger.ts'
import { type ExitCode, exitCode } from './exit-code.ts'
import type { Prompts } from './output/prompts.ts'
import { renderError } from './output/render-error.ts'
import { createScreen, type Screen } from './output/screen.ts'
import type { StandardOutput } from './standard-output.ts'
import { version } from './version.ts'

/** What a command line gets from its process. */
export interface ProgramPorts {
  readonly output: StandardOutput
  readonly writeErr: (text: string) => void
  readonly outIsTerminal: boolean
  readonly errIsTerminal: boolean
  readonly inIsTerminal: boolean
  readonly columns: number | undefined
  readonly prompts: Prompts
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  readonly commandName: string
  readonly onLogger?: (logger: Logger) => void
}

/** A command that is ready to run. */
export type Run = (context: CommandContext) => Promise<ExitCode>

/** Reads a command line and runs it. Never rejects: what goes wrong is shown. @returns the exit code. */
export async function runProgram(words: readonly string[], ports: ProgramPorts): Promise<ExitCode> {
  let code: ExitCode = exitCode.fine
  const program = new Command('rollcall')
    .description('Calls the roll: every tool of your plugins and MCP servers in one place, under one gate.')
    .version(version)
    .option('--config <file>', 'the configuration; otherwise searched from here upward')
    .option('--json', 'the result as JSON')
    .option('--quiet', 'no progress, no log')
    .option('-v, --verbose', 'tell more; twice for everything', (_, before: number) => before + 1, 0)
    .option('--no-color', 'no colours (also: NO_COLOR)')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: ports.output.write,
      writeErr: ports.writeErr,
      // Faults of the command line are shown like all others.
      outputError: () => {},
    })
    .addHelpText('after', examples)
  const runWith = (global: GlobalOptions) => async (run: Run) => {
    code = await run(contextOf(global, ports))
  }
  addCommands(program, {
    output: ports.output,
    hasDoubleDash: words.includes('--'),
    run: (command, run) => runWith(command.optsWithGlobals<GlobalOptions>())(run),
  })
  try {
    if (words.length === 0) program.help()
    await program.parseAsync([...words], { from: 'user' })
    return ports.signal.aborted && code === exitCode.fine ? exitCode.interrupted : code
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCode.fine
    if (ports.signal.aborted) return exitCode.interrupted
    return renderError(asUsage(error), screenOf(globalsOf(words), ports))
  }
}

/** Options that stand before or after any command. */
interface GlobalOptions {
  readonly config?: string
  readonly json?: boolean
  readonly quiet?: boolean
  readonly verbose?: number
  readonly color?: boolean
}

function contextOf(global: GlobalOptions, ports: ProgramPorts): CommandContext {
  const { prompts, cwd, env, signal, commandName } = ports
  const level = levelOf(global)
  const logger = createLogger({ level, isTerminal: ports.errIsTerminal, write: ports.writeErr })
  ports.onLogger?.(logger)
  return { screen: screenOf(global, ports), prompts, logger, cwd, env, signal, commandName, configFile: global.config }
}

function levelOf({ quiet, verbose = 0 }: GlobalOptions): LogLevel {
  if (quiet === true) return 'silent'
  return verbose === 0 ? 'warn' : verbose === 1 ? 'info' : 'debug'
}

function screenOf(global: GlobalOptions, ports: ProgramPorts): Screen {
  return createScreen({
    writeOut: ports.output.write,
    writeErr: ports.writeErr,
    outIsTerminal: ports.outIsTerminal,
    errIsTerminal: ports.errIsTerminal,
    inIsTerminal: ports.inIsTerminal,
    columns: ports.columns,
    env: ports.env,
    json: global.json === true,
    quiet: global.quiet === true,
    noColor: global.color === false,
  })
}

/** For a command line that could not be read: only how an error must look. */
function globalsOf(words: readonly string[]): GlobalOptions {
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words
  return { json: own.includes('--json'), color: !own.includes('--no-color') }
}

function asUsage(error: unknown): unknown {
  if (!(error instanceof CommanderError)) return error
  // Help was asked for by leaving out what is needed.
  if (error.code === 'commander.help') {
    return new RollcallError('USAGE', 'A command is missing.', { hint: 'What there is: rollcall --help' })
  }
  const [first = '', ...rest] = error.message
    .replace(/^error: /, '')
    .replace(/\.$/, '')
    .split('\n')
  const hint = [...rest, 'What there is: rollcall --help'].join(' ').trim()
  return new RollcallError('USAGE', `${first.slice(0, 1).toUpperCase()}${first.slice(1)}.`, { hint })
}

const examples = `
Examples:
  rollcall start                                   call the roll and serve it
  rollcall tools                                   what there is, ready, off or held
  rollcall call everything__echo message=hello     call one tool
  rollcall why notes__add --profile cloud          who may call it, and why not
  rollcall add docs @upstash/context7-mcp --preset docs

Exit codes: 0 fine, 1 a negative answer, 2 usage or configuration, 3 changes due or input missing,
4 needs approval, 130 interrupted.`
