import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runInProcess } from '../in-process.ts'
import { makeProject, type Project, pluginFiles, toolSource } from '../project.ts'

let project: Project
beforeAll(async () => {
  const { greet, save, secret } = toolSource
  project = await makeProject({
    'rollcall.config.json': {
      plugins: ['./plugins/demo'],
      providers: { nobody: { effect: 'read' } },
      profiles: { cloud: { zone: 'externalGlobal', serve: true } },
    },
    ...pluginFiles('demo', [greet, save, secret].join(', ')),
  })
})
afterAll(() => project[Symbol.asyncDispose]())

async function json(...words: readonly string[]) {
  const { stdout } = await runInProcess(project, [...words, '--json'])
  return JSON.parse(stdout)
}

describe('looking', () => {
  it('R-DISC-01 at plugins gives who answered the roll', async () => {
    const { generation, providers, findings } = await json('plugins')
    expect(generation).toBeGreaterThan(0)
    expect(providers).toContainEqual(
      expect.objectContaining({
        appId: 'demo',
        plugin: 'demo',
        version: '1.0.0',
        kind: 'builtin',
        source: 'announced',
        state: 'active',
        tools: 3,
        durationMs: expect.any(Number),
      }),
    )
    expect(findings).toContainEqual(expect.objectContaining({ code: 'PROVIDER_UNKNOWN', hint: expect.any(String) }))
  })

  it('at tools gives what each is and why it is off', async () => {
    const { tools } = await json('tools')
    expect(tools.map(({ name }: { name: string }) => name).filter((name: string) => name.startsWith('demo'))).toEqual([
      'demo__greet',
      'demo__save',
      'demo__secret',
    ])
    expect(tools).toContainEqual(
      expect.objectContaining({
        name: 'demo__save',
        original: 'save',
        appId: 'demo',
        kind: 'builtin',
        source: 'announced',
        effect: 'write',
        dataClass: 'publicContent',
        holds: [expect.objectContaining({ by: 'default' })],
        tokens: expect.any(Number),
        digest: expect.stringMatching(/^sha256:/),
      }),
    )
    const off = await runInProcess(project, ['tools', '--off'])
    expect(off.stdout).toContain('demo__save')
    expect(off.stdout).not.toContain('demo__greet')
  })

  it('at a tool with why exits 1 when it is denied, and says what would change that', async () => {
    const allowed = await runInProcess(project, ['why', 'demo__greet', '--profile', 'cloud'])
    expect(allowed.code).toBe(0)
    const denied = await runInProcess(project, ['why', 'demo__secret', '--profile', 'cloud'])
    expect(denied.code).toBe(1)
    expect(denied.stdout).toContain('"profiles.cloud.ceiling"')
    const held = await json('why', 'demo__save')
    expect(held).toMatchObject({
      verdict: 'deny',
      decidedBy: 'held',
      ways: [expect.stringContaining('rollcall enable')],
    })
    expect((await runInProcess(project, ['why', 'demo__nothing'])).code).toBe(1)
  })

  it('at listeners, report and status gives JSON too', async () => {
    expect((await json('listeners')).listeners).toContainEqual(
      expect.objectContaining({ plugin: 'demo', outcome: 'settled', announced: ['demo'] }),
    )
    expect((await json('report')).findings).toContainEqual(expect.objectContaining({ code: 'PROVIDER_UNKNOWN' }))
    expect(await json('status')).toMatchObject({ tools: { off: 1, held: 0 }, approvals: 0 })
    expect(Object.keys((await json('presets')).presets)).toContain('watch')
  })

  it('fits 60 columns and has no colour where nobody looks', async () => {
    for (const words of [['plugins'], ['tools'], ['status'], ['why', 'demo__save'], ['report']]) {
      const { stdout } = await runInProcess(project, words)
      expect(stdout).not.toContain('\u001b')
      expect(stdout.length).toBeGreaterThan(0)
    }
  })
})
