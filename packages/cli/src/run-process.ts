import { silentLogger } from '@rollcall/plugin'
import { commandNameIn } from './command-name.ts'
import { type ExitCode, exitCode } from './exit-code.ts'
import { watchInterrupts } from './interrupts.ts'
import { createTerminalPrompts } from './output/prompts.ts'
import { runProgram } from './program.ts'
import { takeStandardOutput } from './standard-output.ts'

/** Runs the command line of this process, and ends it when everything written has left. */
export async function runProcess(): Promise<void> {
  const output = takeStandardOutput()
  let logger = silentLogger
  const { signal } = watchInterrupts(() => logger)
  let code: ExitCode = exitCode.usage
  // What a command waits for may be a timer or a promise that keeps no process alive.
  const stay = setInterval(() => {}, 60_000)
  try {
    code = await runProgram(process.argv.slice(2), {
      output,
      writeErr: (text) => void process.stderr.write(text),
      outIsTerminal: process.stdout.isTTY === true,
      errIsTerminal: process.stderr.isTTY === true,
      inIsTerminal: process.stdin.isTTY === true,
      columns: process.stdout.columns ?? process.stderr.columns,
      prompts: createTerminalPrompts(),
      cwd: process.cwd(),
      env: process.env,
      signal,
      commandName: commandNameIn(process.cwd()),
      onLogger: (made) => {
        logger = made
      },
    })
  } finally {
    clearInterval(stay)
    await output.flush()
    process.exit(code)
  }
}
