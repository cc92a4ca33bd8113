import { describe, expect, it } from 'vitest'
import { openCaseFolder, openClient, serverIn } from './open-case.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('01')

describe.skipIf(folder === undefined)('one tool with a bad input schema', () => {
  it('R-SEC-12 costs at most itself, and is told once', async () => {
    await using home = await openCaseFolder()
    await using opened = await home.open({ c01: serverIn(folder ?? '') })
    await opened.settled()
    const { host } = opened

    const offered = host.tools.all().filter(({ appId }) => appId === 'c01')
    expect(offered.map(({ name }) => name)).toEqual(expect.arrayContaining(['c01__ok', 'c01__cond', 'c01__boolprop']))
    const { findings, providers } = host.report()
    for (const original of ['strroot', 'missing', 'nullish', 'arrayroot']) {
      const about = findings.filter(({ about }) => about.appId === 'c01' && about.tool === original)
      expect(about, original).toMatchObject([{ severity: 'warn', code: 'TOOL_INVALID' }])
      expect(about[0]?.message).toMatch(new RegExp(`"${original}" of c01 `))
    }
    for (const original of ['ok', 'cond', 'boolprop']) {
      expect(findings.filter(({ about }) => about.tool === original)).toEqual([])
    }
    expect(['active', 'degraded']).toContain(providers.find(({ appId }) => appId === 'c01')?.state)
  })

  it('reaches no client with another root than an object, and spoils no other', async () => {
    await using home = await openCaseFolder()
    await using opened = await home.open({ c01: serverIn(folder ?? '') })
    await opened.settled()
    await using served = await openClient(opened)
    const { tools } = await served.client.listTools()
    expect(tools.map(({ inputSchema }) => inputSchema.type)).toEqual(tools.map(() => 'object'))
    expect(tools.find(({ name }) => name === 'c01__cond')?.inputSchema).toEqual({
      type: 'object',
      properties: { mode: { enum: ['s', 'l'] }, n: { type: 'integer' } },
      allOf: [
        {
          if: { properties: { mode: { const: 's' } }, required: ['mode'] },
          then: { properties: { n: { maximum: 10 } } },
        },
      ],
    })
    const answer = await served.client.callTool({ name: 'c01__ok', arguments: { q: 'x' } })
    expect(answer.content).toMatchObject([{ type: 'text', text: 'ok:{"q":"x"}' }])
  })

  it('leaves the rules of a conditional schema in force', async () => {
    await using home = await openCaseFolder()
    await using opened = await home.open({ c01: serverIn(folder ?? '') })
    await opened.settled()
    expect(await opened.call('c01__cond', { mode: 's', n: 50 })).toMatchObject({ code: 'TOOL_ARGUMENTS_INVALID' })
    expect(await opened.call('c01__cond', { mode: 's', n: 5 })).toMatchObject({ text: 'cond:{"mode":"s","n":5}' })
    expect(await opened.call('c01__cond', { mode: 'l', n: 50 })).toMatchObject({ text: 'cond:{"mode":"l","n":50}' })
  })

  it('leaves a server that lists nothing else connected', async () => {
    await using home = await openCaseFolder()
    await using opened = await home.open({ c01: serverIn(folder ?? '', { SKIP: 'ok,cond,boolprop' }) })
    await opened.settled()
    expect(opened.host.report().providers).toContainEqual(
      expect.objectContaining({ appId: 'c01', state: 'degraded', message: expect.stringContaining('c01') }),
    )
  })
})
