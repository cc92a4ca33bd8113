import { basename } from 'node:path'
import type { ServerDeclaration } from '@rollcall/plugin'

/** Runners that fetch a package by name, with the words that come before its name. */
const runners: readonly { readonly words: readonly string[]; readonly exact: RegExp }[] = [
  ...[['npx'], ['pnpx'], ['bunx'], ['npm', 'exec'], ['npm', 'x'], ['pnpm', 'dlx'], ['yarn', 'dlx'], ['bun', 'x']].map(
    (words) => ({ words, exact: /.@\d+\.\d+\.\d+([-+][\w.+-]+)?$/ }),
  ),
  ...[['uvx'], ['uv', 'tool', 'run'], ['pipx', 'run']].map((words) => ({ words, exact: /.(==|@)\d+(\.\w+)*$/ })),
]

/** The package that a command line fetches without an exact version, so that other code may run tomorrow. */
export function unpinnedPackage(server: ServerDeclaration): string | undefined {
  if (!('command' in server)) return undefined
  const argv = [basename(server.command).replace(/\.(cmd|exe|ps1)$/i, ''), ...(server.args ?? [])]
  const runner = runners.find(({ words }) => words.every((word, index) => argv[index] === word))
  if (runner === undefined) return undefined
  const name = packageIn(argv.slice(runner.words.length))
  return name === undefined || runner.exact.test(name) ? undefined : name
}

function packageIn(args: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    const named = /^(?:-p|--package|--from|--spec)(?:=(.*))?$/.exec(arg)
    if (named !== null) return named[1] ?? args[index + 1]
    if (!arg.startsWith('-')) return arg
  }
  return undefined
}
