import { createHost, createMemoryStore, localClient, type OpenProvider } from '@rollcall/host'
import { digestOf, type JsonObject, silentLogger } from '@rollcall/plugin'
import { afterEach, describe, expect, it } from 'vitest'
import { createAnswering } from '../../src/serve/create-answering.ts'
import { ask } from './ask.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

/** A server with one of everything; what it is asked is noted. */
function serverOf(word: string, asked: string[]): OpenProvider {
  return {
    list: async () => ({
      tools: [{ name: word, definition: { description: `Says ${word}.`, inputSchema: { type: 'object' } } }],
      launch: digestOf(word),
      holds: [],
      findings: [],
      detail: 'mcp, stdio, not started',
      features: {
        prompts: [{ name: word }],
        resources: [{ uri: `${word}://1`, name: word }],
        templates: [{ uriTemplate: `${word}://kind/{id}`, name: word }],
        instructions: `Ask for ${word}.`,
        can: { complete: true, subscribe: true, log: true, listLive: false },
      },
    }),
    call: async () => ({ content: [{ type: 'text', text: word }] }),
    async request({ method }) {
      asked.push(method)
      return { ok: true, result: { said: word, completion: { values: [word] } } }
    },
    async [Symbol.asyncDispose]() {},
  }
}

async function opened() {
  const asked: string[] = []
  const store = createMemoryStore()
  const words = { effect: 'read', approval: 'notNeeded' } as const
  const server = { command: 'node' }
  const host = await createHost({
    store,
    providers: {
      plain: { ...words, server, dataClass: 'publicContent' },
      vault: { ...words, server, dataClass: 'secretAdjacent' },
    },
    connectMcp: async ({ appId }) => serverOf(appId, asked),
  })
  open.push(store, host)
  return { asked, store, it: createAnswering(host, { logger: silentLogger }) }
}

const requests = (word: string): readonly [string, JsonObject][] => [
  ['prompts/get', { name: `${word}__${word}` }],
  ['resources/read', { uri: `${word}://1` }],
  ['resources/read', { uri: `${word}://kind/7` }],
  ['resources/read', { uri: `${word}+${word}://1` }],
  ['resources/subscribe', { uri: `${word}://1` }],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: `${word}__${word}` }, argument: { name: 'a', value: '' } },
  ],
  [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: `${word}://kind/{id}` }, argument: { name: 'id', value: '' } },
  ],
]

describe('what lies above the ceiling of a client', () => {
  it('R-SEC-01 is not listed, and can not be told from what is not there', async () => {
    const { it: face, asked } = await opened()
    const lists = await Promise.all(
      ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'].map((method) => ask(face, method)),
    )
    const { instructions } = face.describe({ principal: localClient, profile: 'default' })
    expect(JSON.stringify([lists, instructions])).not.toMatch(/vault/)
    expect(JSON.stringify([lists, instructions])).toMatch(/plain:\/\/kind.*Ask for plain/)

    const answerOf = async ([method, params]: readonly [string, JsonObject], word: string) => {
      const refusal = await ask(face, method, params).then(
        () => expect.unreachable('it is refused'),
        ({ code, message, data }) => JSON.stringify({ code, message, data }),
      )
      return refusal.replaceAll(word, '<word>')
    }
    const absent = requests('void')
    for (const [index, request] of requests('vault').entries()) {
      const other = absent[index]
      if (other === undefined) expect.unreachable('both lists are equally long')
      expect(await answerOf(request, 'vault')).toBe(await answerOf(other, 'void'))
    }
    expect(asked).toEqual([])
  })

  it('R-SEC-01 leaves one record of each request, as what is allowed does', async () => {
    const { it: face, store, asked } = await opened()
    const statuses = async () => (await store.heads({ kind: 'call' })).map(({ status }) => status)
    for (const [method, params] of requests('vault')) await ask(face, method, params).catch(() => {})
    expect(await statuses()).toEqual(requests('vault').map(() => 'denied'))
    for (const [method, params] of requests('plain')) await ask(face, method, params)
    expect((await statuses()).filter((status) => status === 'ok')).toHaveLength(requests('plain').length)
    expect(asked).toHaveLength(requests('plain').length)
  })
})
