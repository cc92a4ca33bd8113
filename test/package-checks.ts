import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { root } from './list-files.ts'

/** Packs what is published and checks it the way its users will meet it: publint, and the types of every entry. */
const packed = await mkdtemp(join(tmpdir(), 'rollcall-packed-'))
let faults = 0
try {
  for (const name of ['plugin', 'host', 'mcp', 'cli']) {
    const folder = join(root, 'packages', name)
    await execa('pnpm', ['pack', '--pack-destination', packed], { cwd: folder, preferLocal: true, localDir: root })
  }
  for (const tarball of (await readdir(packed)).sort()) {
    const file = join(packed, tarball)
    const bytes = await readFile(file)
    const { messages, pkg } = await publint({
      pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
      level: 'warning',
    })
    for (const message of messages) console.log(`${tarball}: ${formatMessage(message, pkg)}`)
    faults += messages.length
    if (tarball.startsWith('rollcall-0') || /^rollcall-\d/.test(tarball)) continue
    const attw = await execa('attw', [file, '--profile', 'esm-only', '--no-color', '--format', 'ascii'], {
      reject: false,
      preferLocal: true,
      localDir: root,
    })
    if (attw.exitCode !== 0) {
      faults++
      console.log(attw.stdout)
    }
  }
} finally {
  await rm(packed, { recursive: true, force: true })
}
console.log(faults === 0 ? 'packages: no faults' : `packages: ${faults} faults`)
process.exitCode = faults === 0 ? 0 : 1
