import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it } from 'vitest'
import { makePackages } from './make-packages.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('16')
const failing = {
  'p-sync': /boom sync/,
  'p-async': /boom async/,
  'p-nonerror': /threw null/,
  'p-setup': /boom in setup/,
  'p-after': /boom after add/,
}
const names = [...Object.keys(failing), 'p-late']

describe.skipIf(folder === undefined)('a listener that throws', () => {
  it.each([
    ['after the good one', ['p-good', ...names]],
    ['before the good one', [...names, 'p-good']],
    ['around the good one', [...names.slice(0, 3), 'p-good', ...names.slice(3)]],
  ])('R-DISC-03 R-DISC-04 R-DISC-05 costs its own tools only: %s', async (_, plugins) => {
    await using project = await makePackages(folder ?? '', { plugins })
    const { code, stdout, stderr } = await project.rollcall('plugins', '--json')
    expect(code, stderr).toBe(0)
    const { providers, findings } = JSON.parse(stdout)
    for (const [name, message] of Object.entries(failing)) {
      expect(providers.find(({ appId }: { appId: string }) => appId === name)).toMatchObject({
        plugin: name,
        state: 'failed',
        tools: 0,
        message: expect.stringMatching(message),
      })
      expect(findings.filter(({ about }: { about: { plugin?: string } }) => about.plugin === name)).toHaveLength(1)
    }
    // What was announced in time stays; what is thrown later costs nothing.
    const fine = providers.filter(({ state }: { state: string }) => state === 'active')
    expect(fine.map(({ appId }: { appId: string }) => appId)).toEqual(expect.arrayContaining(['p-good', 'p-late']))
    expect((await project.rollcall('call', 'p-good__hi')).stdout).toBe('hi from p-good\n')
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  it('long after its end does not end the host', async () => {
    await using project = await makePackages(folder ?? '', { plugins: [...names, 'p-good'], http: { port: 0 } })
    const running = project.begin('--config', 'packages/rollcall.config.json', 'serve')
    let stderr = ''
    running.child.stderr?.on('data', (text: string) => {
      stderr += text
    })
    const [address = ''] = await running.output(/http:\/\/127\.0\.0\.1:\d+\/mcp/)
    await expect.poll(() => stderr, { timeout: 5_000 }).toContain('boom late')
    const client = new Client({ name: 'case', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(address)))
    for (const name of ['p-good', 'p-late']) {
      const { content } = await client.callTool({ name: `${name}__hi` })
      expect(content).toMatchObject([{ type: 'text', text: `hi from ${name}` }])
    }
    await client.close()
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(130)
  })
})
