import type { ProviderEntry } from '@rollcall/host'
import type { Logger } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { openCaseFolder, words } from './open-case.ts'
import { sharedCase } from './shared-cases.ts'
import { startCaseServer } from './start-case-server.ts'

const folder = sharedCase('13')
const headers = { Authorization: 'Bearer TOK-CASE13', 'X-Api-Key': 'KEY-CASE13' }

describe.skipIf(folder === undefined)('credentials, and an address that leads to another origin', () => {
  it('R-SEC-15 do not follow a redirect or the endpoint of an old server, and do within the origin', async () => {
    await using server = await startCaseServer(folder ?? '')
    const elsewhere = `http://127.0.0.1:${server.port + 1}`
    const at = (path: string, more = {}): ProviderEntry => ({
      ...words,
      server: { url: `${server.origin}${path}`, headers, ...more },
    })
    const log: string[] = []
    const note = (...said: readonly unknown[]) => void log.push(JSON.stringify(said))
    const logger: Logger = { debug: note, info: note, warn: note, error: note }
    await using home = await openCaseFolder()
    const servers = { far: at('/far'), near: at('/near'), old: at('/sse', { transport: 'sse' }) }
    await using opened = await home.open(servers, { logger })
    await opened.settled()

    const seen = await (await fetch(`${elsewhere}/seen`)).text()
    expect(JSON.parse(seen)).toEqual([])
    const errors = Object.fromEntries(opened.mcp.servers().map(({ appId, lastError }) => [appId, lastError?.message]))
    expect(errors.far).toContain(elsewhere)
    expect(errors.old).toContain(elsewhere)
    expect(await opened.call('near__near')).toMatchObject({ status: 'ok', text: 'near answer' })
    expect(log.join('\n')).toContain('near')
    const shown = JSON.stringify([log, opened.host.report(), opened.mcp.servers()])
    expect(shown).not.toMatch(/TOK-CASE13|KEY-CASE13/)
  })
})
