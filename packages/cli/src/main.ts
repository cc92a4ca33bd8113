#!/usr/bin/env node
// No types in this file: an older Node must be able to read it and say what is missing.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 13)) {
  const message = `Node ${process.versions.node} is too old: Rollcall needs 22.13 or newer.`
  const hint = 'Run it through pnpm in the project, or install Node 22.13 or newer.'
  const error = { error: { code: 'NODE_UNSUPPORTED', message, hint } }
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(error)}\n`)
  else process.stderr.write(`rollcall: ${message}\n  ${hint}\n\nNODE_UNSUPPORTED · nothing was started\n`)
  process.exit(2)
}
// From source nothing is kept: a checkout leaves no trace outside itself.
if (!import.meta.url.endsWith('.ts')) (await import('./keep-compiled.ts')).keepCompiled(process.env)
const { runProcess } = await import('./run-process.ts')
await runProcess()

export {}
