import { readFileSync } from 'node:fs'

/** The version of this command. */
export const version: string = readVersion()

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const { version } = manifest as { readonly version?: unknown }
  return typeof version === 'string' ? version : '0.0.0'
}
