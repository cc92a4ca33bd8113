import { createServer } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect } from 'vitest'

/** The server of a case that speaks HTTP, as a process of its own. */
export interface CaseServer extends AsyncDisposable {
  readonly port: number
  readonly origin: string
}

/** Starts the server of a case on a port that is free, and so is the next one. */
export async function startCaseServer(folder: string): Promise<CaseServer> {
  const port = await freePair()
  const child = execa('node', [join(folder, 'server.mjs')], {
    env: { PORT: String(port) },
    reject: false,
    forceKillAfterDelay: 1_000,
  })
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  await expect.poll(() => said, { timeout: 10_000 }).toContain('ready')
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill()
      await child
    },
  }
}

async function freePair(): Promise<number> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const port = await tryPort(0)
    if (port !== undefined && (await tryPort(port + 1)) !== undefined) return port
  }
  return expect.fail('no two free ports side by side')
}

function tryPort(wanted: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.on('error', () => resolve(undefined))
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined))
    })
  })
}
