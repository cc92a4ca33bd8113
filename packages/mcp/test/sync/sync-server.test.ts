import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { codesIn, failureOf, heldIn, isRunning, list, settled, textOf, until } from '../observe.ts'
import { callBy, fixture, openProject, type Project } from '../open-project.ts'

const tool = (name: string, more: object = {}) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: 'object' },
  ...more,
})
const ask = (accept: boolean) => ({ accept, by: 'ann' })

async function changing(project: Project, tools: readonly unknown[]) {
  const state = await project.write('tools.json', tools)
  return fixture('changing', { STATE_FILE: state, LOG_FILE: project.logFile })
}

describe('sync', () => {
  it('pins an unlisted server that waits for a person, and accepts it in that name', async () => {
    await using project = await openProject()
    const server = await changing(project, [tool('weather', { annotations: { readOnlyHint: true } })])
    const mcp = project.start()
    const provider = await project.open(mcp, 'c', server, { pin: 'manual' })
    expect((await list(provider)).holds).toEqual([{ by: 'new', hint: 'rollcall sync c' }])
    expect(await project.log()).toEqual([])
    let changes = 0
    provider.onChanged?.(() => {
      changes += 1
    })
    expect(await mcp.sync('c', ask(false))).toEqual({
      appId: 'c',
      status: 'pinned',
      tools: [
        {
          name: 'weather',
          change: 'added',
          digest: expect.stringMatching(/^sha256:/),
          description: 'The tool weather.',
          readOnlyHint: true,
        },
      ],
    })
    expect(changes).toBe(1)
    expect(heldIn(await list(provider))).toEqual({ weather: '' })
    expect((await project.settings.get('accepted/c'))?.value).toMatchObject({ by: 'ann' })
    expect(await mcp.sync('c', ask(false))).toMatchObject({ status: 'unchanged', tools: [{ change: 'same' }] })
  })

  it('reports drift and changes nothing, until it is told to accept', async () => {
    await using project = await openProject()
    const server = await changing(project, [tool('stays'), tool('turns'), tool('goes')])
    const mcp = project.start()
    const provider = await project.open(mcp, 'c', server)
    await settled(provider)
    const before = await readFile(project.lockFile, 'utf8')

    await project.write('tools.json', [tool('stays'), tool('turns', { description: 'New\u200b text.' }), tool('comes')])
    const report = await mcp.sync('c', ask(false))
    expect(report.status).toBe('drift')
    expect(Object.fromEntries(report.tools.map(({ name, change }) => [name, change]))).toEqual({
      comes: 'added',
      goes: 'removed',
      stays: 'same',
      turns: 'changed',
    })
    expect(report.tools.find(({ name }) => name === 'turns')?.description).not.toContain('\u200b')
    expect(await readFile(project.lockFile, 'utf8')).toBe(before)
    expect(heldIn(await list(provider))).toEqual({ comes: 'new', goes: 'drift', stays: '', turns: 'drift' })

    expect((await mcp.sync('c', ask(true))).status).toBe('accepted')
    const listing = await list(provider)
    expect(heldIn(listing)).toEqual({ comes: '', stays: '', turns: '' })
    expect(codesIn(listing)).toEqual(['SERVER_PINNED'])
  })

  it('with accept says of unchanged tools that a person looked at them, which merely pinning them does not', async () => {
    await using project = await openProject()
    const server = await changing(project, [tool('weather')])
    const mcp = project.start()
    const provider = await project.open(mcp, 'c', server)
    const isAccepted = async () =>
      ((await list(provider)).tools[0] as { readonly accepted?: boolean }).accepted === true
    await settled(provider)
    expect(await isAccepted()).toBe(false)
    expect((await mcp.sync('c', ask(false))).status).toBe('unchanged')
    expect(await isAccepted()).toBe(false)
    expect((await mcp.sync('c', ask(true))).status).toBe('accepted')
    expect(await isAccepted()).toBe(true)
    expect((await mcp.sync('c', ask(true))).status).toBe('unchanged')
    expect((await project.settings.get('accepted/c'))?.value).toMatchObject({ by: 'ann' })
  })

  it('frees a running server, which compared itself before', async () => {
    await using project = await openProject()
    const server = await changing(project, [tool('weather')])
    const first = project.start()
    await settled(await project.open(first, 'c', server))
    await first[Symbol.asyncDispose]()
    await project.write('tools.json', [tool('weather', { description: 'Changed.', outputSchema: { type: 'object' } })])
    const mcp = project.start()
    const provider = await project.open(mcp, 'c', server)
    expect((await failureOf(provider.call('weather', {}, callBy()))).code).toBe('DEFINITION_CHANGED')
    await mcp.sync('c', ask(true))
    expect(textOf(await provider.call('weather', {}, callBy()))).toBe('ok weather')
  })

  it('lets calls in flight finish on the old process, and the next one starts the new', async () => {
    await using project = await openProject()
    const log = { LOG_FILE: project.logFile }
    const mcp = project.start()
    const provider = await project.open(mcp, 'a', fixture('answers', log))
    await settled(provider)
    const held = failureOf(provider.call('hold', {}, callBy()))
    await until(async () => (await project.log()).includes('called hold'))
    const pid = mcp.servers()[0]?.pid ?? 0
    // Nothing of the server has changed, so what is accepted must be made to differ.
    const row = (await project.settings.get('accepted/a'))?.value as { readonly tools: object }
    await project.settings.set('accepted/a', { ...row, tools: {} } as never)
    expect((await mcp.sync('a', ask(true))).status).toBe('accepted')
    expect(isRunning(pid)).toBe(true)
    await provider.call('echo', {}, callBy())
    expect(mcp.servers()[0]?.pid).not.toBe(pid)
    expect((await project.log()).at(-1)).toBe('called echo')
    await mcp[Symbol.asyncDispose]()
    expect((await held).code).toBe('TOOL_OUTCOME_UNKNOWN')
    expect(isRunning(pid)).toBe(false)
  })

  it('R-SEC-02 starts nothing on a changed launch, and takes it over when it is accepted', async () => {
    await using project = await openProject()
    const server = await changing(project, [tool('weather')])
    const first = project.start()
    await settled(await project.open(first, 'c', server))
    await first[Symbol.asyncDispose]()
    const before = await project.log()
    const mcp = project.start()
    const provider = await project.open(mcp, 'c', { ...server, args: [...(server.args ?? []), '--more'] })
    expect(await mcp.sync('c', ask(false))).toEqual({ appId: 'c', status: 'launchChanged', tools: [] })
    expect(await project.log()).toEqual(before)
    expect((await mcp.sync('c', ask(true))).status).toBe('accepted')
    expect(textOf(await provider.call('weather', {}, callBy()))).toBe('ok weather')
  })

  it('shows a person what is different, hidden characters included', async () => {
    await using project = await openProject()
    const server = await changing(project, [tool('turns'), tool('widens')])
    const mcp = project.start()
    await settled(await project.open(mcp, 'c', server))
    const day = { type: 'string' }
    await project.write('tools.json', [
      tool('turns', { description: 'New\u200b text.' }),
      tool('widens', { inputSchema: { type: 'object', properties: { day } } }),
    ])
    const { tools, status } = await mcp.sync('c', ask(false))
    expect(status).toBe('drift')
    expect(tools).toMatchObject([
      {
        name: 'turns',
        change: 'changed',
        compatible: false,
        diff: ['description was: "The tool turns."', 'description is:  "New\\u{200B} text."'],
      },
      {
        name: 'widens',
        change: 'changed',
        compatible: true,
        diff: ['parameter day added, optional: {"type":"string"}'],
      },
    ])
  })

  it('as a check changes nothing, and tells drift from what is the same', async () => {
    await using project = await openProject()
    const server = await changing(project, [tool('weather')])
    const mcp = project.start()
    const provider = await project.open(mcp, 'c', server)
    await settled(provider)
    const check = { accept: false, by: 'ann', check: true }
    expect(await mcp.sync('c', check)).toMatchObject({ status: 'unchanged' })
    await project.write('tools.json', [tool('weather', { description: 'Changed.' })])
    const [lock, row] = [await readFile(project.lockFile, 'utf8'), await project.settings.get('accepted/c')]
    expect(await mcp.sync('c', check)).toMatchObject({ status: 'drift' })
    expect(await readFile(project.lockFile, 'utf8')).toBe(lock)
    expect(await project.settings.get('accepted/c')).toEqual(row)
  })

  it('R-SEC-02 as a check starts nothing that nobody accepted', async () => {
    await using project = await openProject()
    const mcp = project.start()
    await project.open(mcp, 'c', await changing(project, [tool('weather')]), { pin: 'manual' })
    expect(await mcp.sync('c', { accept: false, by: 'ann', check: true })).toEqual({
      appId: 'c',
      status: 'launchChanged',
      tools: [],
    })
    expect(await project.log()).toEqual([])
  })

  it('as a check tells the server none of its secrets', async () => {
    await using project = await openProject()
    const { env, ...launch } = fixture('told', { LOG_FILE: project.logFile })
    const server = { ...launch, env: { ...env, TOKEN: { env: 'SECRET_OF_TEST' } } }
    const mcp = project.start({ env: { ...process.env, CI: '', SECRET_OF_TEST: 'hush-hush-hush' } })
    await settled(await project.open(mcp, 'e', server))
    expect((await project.log()).join()).toContain('hush-hush-hush')
    const before = await project.log()
    expect(await mcp.sync('e', { accept: false, by: 'ann', check: true })).toMatchObject({ status: 'unchanged' })
    const since = (await project.log()).slice(before.length)
    expect(new Set(since.filter((line) => line.startsWith('token')))).toEqual(new Set(['token none']))
  })

  it('as a check says so where a server may fail for want of its secrets', async () => {
    await using project = await openProject()
    const { env, ...launch } = fixture('told', { LOG_FILE: project.logFile, WITHOUT_TOKEN: 'leave' })
    const mcp = project.start({ env: { ...process.env, CI: '', SECRET_OF_TEST: 'hush-hush-hush' } })
    await settled(await project.open(mcp, 'e', { ...launch, env: { ...env, TOKEN: { env: 'SECRET_OF_TEST' } } }))
    const { status, error } = await mcp.sync('e', { accept: false, by: 'ann', check: true })
    expect(status).toBe('failed')
    expect(error?.hint).toContain('none of its secrets')
  })

  it('repairs a server whose first list failed', async () => {
    await using project = await openProject()
    const server = await changing(project, [])
    await project.write('tools.json', 'no json')
    const mcp = project.start()
    const provider = await project.open(mcp, 'c', server)
    expect((await failureOf(settled(provider))).code).toBe('SERVER_UNAVAILABLE')
    await project.write('tools.json', [tool('weather')])
    expect((await mcp.sync('c', ask(false))).status).toBe('pinned')
    expect(heldIn(await list(provider))).toEqual({ weather: '' })
  })

  it('reports what failed and never rejects', async () => {
    await using project = await openProject()
    const mcp = project.start()
    await project.open(mcp, 'exits', fixture('exits'), { pin: 'manual' })
    expect(await mcp.sync('exits', ask(true))).toMatchObject({
      status: 'failed',
      error: { code: 'SERVER_UNAVAILABLE' },
    })
    expect(await mcp.sync('nobody', ask(true))).toMatchObject({ status: 'failed', error: { code: 'PROVIDER_UNKNOWN' } })
  })
})

describe('nothing is pinned', () => {
  it.each([
    ['where the project is frozen', { frozen: true }],
    ['in CI', { env: { ...process.env, CI: 'true' } }],
    ['where pinning is off', { pinning: 'off' }],
  ] as const)('%s', async (_where, options) => {
    await using project = await openProject()
    const server = await changing(project, [tool('weather')])
    const mcp = project.start(options)
    const provider = await project.open(mcp, 'c', server)
    const listing = await list(provider)
    expect(listing.holds).toEqual([{ by: 'new', hint: 'rollcall sync c' }])
    expect(listing.detail).toBe('mcp, stdio, not started')
    expect(mcp.servers()).toMatchObject([{ appId: 'c', transport: 'stdio', state: 'idle', noiseLines: 0 }])
    expect(await project.log()).toEqual([])
  })
})

describe('many unlisted servers', () => {
  it('are all pinned, at most four of them at once, by two processes on one lock file', async () => {
    await using project = await openProject()
    const [one, two] = [project.start(), project.start()]
    const ids = Array.from({ length: 10 }, (_, index) => `s${index}`)
    const providers = await Promise.all(
      ids.map((id, index) => project.open(index % 2 === 0 ? one : two, id, fixture('slow', { INIT_MS: '50' }))),
    )
    let most = 0
    const watch = setInterval(() => {
      const starting = one.servers().filter(({ state }) => state === 'starting').length
      most = Math.max(most, starting)
    }, 5)
    await Promise.all(providers.map((provider) => settled(provider)))
    clearInterval(watch)
    expect(most).toBeLessThanOrEqual(4)
    expect(Object.keys(JSON.parse(await readFile(project.lockFile, 'utf8')).servers)).toEqual(ids)
  })
})
