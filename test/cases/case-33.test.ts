import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { openCaseFolder, openClient, serverIn } from './open-case.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('33')
const rows = {
  rows: [
    { id: 1, city: 'Łódź' },
    { id: 2, city: 'Graz' },
  ],
}

describe.skipIf(folder === undefined)('data that stands only in the structured part of a result', () => {
  it('is what a caller in words gets too, once', async () => {
    await using home = await openCaseFolder()
    await using opened = await home.open({ c33: serverIn(folder ?? '') })
    await opened.settled()
    for (const tool of ['only_structured', 'no_content_key', 'mirrored']) {
      const outcome = await opened.call(`c33__${tool}`)
      expect(outcome, tool).toMatchObject({ status: 'ok' })
      const text = outcome.status === 'ok' ? outcome.text : ''
      expect(text.match(/Graz/g), tool).toHaveLength(1)
      expect(text.match(/Łódź/g), tool).toHaveLength(1)
    }
    for (const tool of ['nothing', 'blank']) expect(await opened.call(`c33__${tool}`)).toMatchObject({ status: 'ok' })
  })

  it('passes the endpoint as it is, always with a list of content', async () => {
    await using home = await openCaseFolder()
    await using opened = await home.open({ c33: serverIn(folder ?? '') })
    await opened.settled()
    await using face = await openClient(opened)
    const call = (name: string) =>
      face.client.request(
        { method: 'tools/call', params: { name: `c33__${name}`, arguments: {} } },
        CallToolResultSchema.loose(),
      )
    for (const name of ['only_structured', 'no_content_key', 'mirrored']) {
      const { content, structuredContent, isError } = await call(name)
      expect([isError ?? false, structuredContent], name).toEqual([false, rows])
      expect(JSON.stringify(content), name).toContain('Graz')
    }
    expect(await call('summary')).toMatchObject({
      content: [{ type: 'text', text: '2 rows found' }],
      structuredContent: rows,
    })
    for (const name of ['nothing', 'blank']) {
      const { content, isError } = await call(name)
      expect([isError ?? false, Array.isArray(content)], name).toEqual([false, true])
    }
  })
})
