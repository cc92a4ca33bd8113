import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { openCaseFolder, openClient, serverIn } from './open-case.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('35')

describe.skipIf(folder === undefined)('errors in several blocks, and results that are too big', () => {
  it('keep their kind and all their texts at the endpoint', async () => {
    await using home = await openCaseFolder()
    await using opened = await home.open({ c35: serverIn(folder ?? '') })
    await opened.settled()
    await using face = await openClient(opened)
    const call = (name: string) =>
      face.client
        .request({ method: 'tools/call', params: { name: `c35__${name}`, arguments: {} } }, CallToolResultSchema)
        .catch((error: unknown) => ({ thrown: String(error) }))

    expect(await call('err_multi')).toMatchObject({
      isError: true,
      content: [{ text: 'quota used up' }, { text: 'retry after 60 s' }],
      structuredContent: { code: 429 },
    })
    expect(await call('err_empty')).toMatchObject({ isError: true })
    expect(JSON.stringify(await call('err_rpc'))).toContain('internal demo failure')
    const fine = await call('fine_says_error')
    expect(fine).toMatchObject({ content: [{ text: 'Error: this is only the text of a log line' }] })
    expect(fine).not.toMatchObject({ isError: true })
  })

  it('are bounded: the server is no worse off, and the next call is served', async () => {
    await using home = await openCaseFolder()
    await using opened = await home.open({ c35: serverIn(folder ?? '') })
    await opened.settled()
    const giant = await opened.call('c35__giant')
    expect(JSON.stringify(giant).length).toBeLessThan(11_000_000)
    if (giant.status === 'ok') expect(giant.text).toContain('HEAD-MARK')
    else expect(giant).toMatchObject({ status: 'failed', text: expect.stringMatching(/bytes|MB|too/) })

    const image = await opened.call('c35__bigimage')
    expect(image).toMatchObject({ status: 'ok' })
    expect(image.status === 'ok' ? image.text : '').not.toMatch(/A{1000}/)
    const events = await Array.fromAsync(opened.store.read(`call/${image.callId}`))
    expect(JSON.stringify(events)).not.toMatch(/A{1000}/)
    expect(await opened.call('c35__fine_says_error')).toMatchObject({ status: 'ok' })
  }, 60_000)
})
