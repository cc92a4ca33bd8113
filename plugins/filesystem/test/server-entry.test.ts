import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { serverEntry } from '../src/server-entry.ts'

it('finds the server beside the plugin, by the path that every machine has', () => {
  const entry = fileURLToPath(
    new URL('../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', import.meta.url),
  )
  expect(serverEntry()).toBe(entry)
  expect(existsSync(entry)).toBe(true)
})
