import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { type BuiltProject, createBuiltProject } from './bench/built-project.ts'
import { root } from './list-files.ts'

/**
 * Packs what is published, installs it as its users will, and looks at it with their eyes: publint, the types of every
 * entry, and the command itself making and calling a first plugin.
 */
await using project = await createBuiltProject()
const faults: string[] = []
for (const tarball of (await readdir(project.folder)).filter((file) => file.endsWith('.tgz')).sort()) {
  faults.push(...(await lint(project, tarball)))
  // The command has no types to offer.
  if (!/^rollcall-\d/.test(tarball)) faults.push(...(await checkTypes(project, tarball)))
}
faults.push(...(await tryCommand(project)))
for (const fault of faults) console.log(fault)
console.log(faults.length === 0 ? 'packages: no faults' : `packages: ${faults.length} faults`)
process.exitCode = faults.length === 0 ? 0 : 1

async function lint({ folder }: BuiltProject, tarball: string): Promise<readonly string[]> {
  const bytes = await readFile(join(folder, tarball))
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const { messages, pkg } = await publint({ pack: { tarball: buffer }, level: 'warning' })
  return messages.map((message) => `${tarball}: ${formatMessage(message, pkg)}`)
}

async function checkTypes({ folder }: BuiltProject, tarball: string): Promise<readonly string[]> {
  const args = [join(folder, tarball), '--profile', 'esm-only', '--no-color', '--format', 'ascii']
  const { exitCode, stdout } = await execa('attw', args, { reject: false, preferLocal: true, localDir: root })
  return exitCode === 0 ? [] : [`${tarball}: its types\n${stdout}`]
}

async function tryCommand({ folder }: BuiltProject): Promise<readonly string[]> {
  const rollcall = async (cwd: string, ...args: string[]) => {
    const env = { ROLLCALL_STATE_DIR: join(folder, 'state'), NO_COLOR: '1' }
    const command = join(folder, 'node_modules/rollcall/dist/main.mjs')
    const { exitCode, stdout, stderr } = await execa(process.execPath, [command, ...args], { cwd, env, reject: false })
    return exitCode === 0
      ? { stdout, fault: [] }
      : { stdout, fault: [`rollcall ${args.join(' ')} exited ${exitCode}: ${stderr}`] }
  }
  const made = await rollcall(folder, 'new', 'plugin', 'hello')
  const called = await rollcall(join(folder, 'hello'), 'tools', '--json')
  const { fault } = called
  if (fault.length === 0 && !called.stdout.includes('hello__'))
    return [`the first plugin offers no tool: ${called.stdout}`]
  return [...made.fault, ...fault]
}
