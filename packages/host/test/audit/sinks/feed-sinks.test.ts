import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import type { AuditOptions } from '../../../src/audit/audit-options.ts'
import { readAudit } from '../../../src/audit/read-audit.ts'
import { readSinks } from '../../../src/audit/sinks/read-sinks.ts'
import type { HostOptions } from '../../../src/host-options.ts'
import { createSqliteStore } from '../../../src/store/create-sqlite-store.ts'
import { asLocal, hostWith } from '../../invoke/host-with.ts'
import { readingTool } from '../../plugins-in-code.ts'
import { hurried, openHttp, openTcp, openUdp, type Request } from './receivers.ts'

const own = { allowPrivateNetwork: true }
const soon = { timeout: 15_000, interval: 20 }

const noRequest: Request = { path: '', headers: {}, body: '{}' }
const failing = readingTool('fail', {
  execute: () => {
    throw new Error('no luck')
  },
})
const hostOf = (audit: AuditOptions, options: HostOptions = {}) =>
  hostWith([readingTool('read'), failing], { audit, ...options })

async function openFolder() {
  const path = await mkdtemp(join(tmpdir(), 'rollcall-sink-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

describe('a sink of the audit', () => {
  it('R-GOV-66 gets each call that is over as a line, once, signed, with equal denials as one', async () => {
    await using http = await openHttp()
    const secret = { env: 'SINK' }
    const sinks = [{ webhook: `${http.url}/audit`, secret, ...own }]
    await using app = await hostOf({ sinks }, { resolveSecret: async () => 'sink-secret', clock: hurried(5) })
    await app.host.tools.call('app__read', { text: 'm1lk' }, asLocal)
    await app.host.tools.call('app__fail', {}, asLocal)
    for (let at = 0; at < 3; at += 1) await app.host.tools.call('app__gone', {}, asLocal)
    await expect.poll(() => http.records().length, soon).toBeGreaterThanOrEqual(3)
    await new Promise((settle) => setTimeout(settle, 600))
    const records = http.records()
    expect(records).toMatchObject([
      { tool: 'app__read', status: 'ok', principal: 'local-user', profile: 'direct' },
      { tool: 'app__fail', status: 'failed', code: 'TOOL_FAILED' },
      ...records.slice(2).map(() => ({ tool: 'app__gone', status: 'denied' })),
    ])
    expect(records.slice(2).reduce((sum, { times = 1 }) => sum + Number(times), 0)).toBe(3)
    expect(JSON.stringify(records)).not.toContain('m1lk')
    const [{ headers, body } = noRequest] = http.requests
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', 'sink-secret').update(signed).digest('base64')}`,
    )
    expect(headers['content-type']).toBe('application/x-ndjson')
  })

  it('R-GOV-67 that is away costs no call anything, says so, and gets everything when it is back', async () => {
    const lines: string[] = []
    const write = (...words: readonly unknown[]) => lines.push(JSON.stringify(words))
    const logger: Logger = { debug: write, info: write, warn: write, error: write }
    let isBack = false
    await using http = await openHttp(() => (isBack ? 200 : 503))
    const sinks = [{ webhook: `${http.url}/t0ken`, ...own }]
    await using app = await hostOf({ sinks }, { logger, clock: hurried(20) })
    for (let at = 0; at < 25; at += 1)
      expect(await app.host.tools.call('app__read', {}, asLocal)).toMatchObject({ status: 'ok' })
    await expect.poll(async () => (await readSinks(app.store, sinks))[0]?.failing?.message, soon).toContain('503')
    expect((await readSinks(app.store, sinks))[0]?.behind).toBeGreaterThan(24)
    expect(lines.join('\n')).toContain('does not take')
    expect(lines.join('\n')).not.toContain('t0ken')
    http.requests.length = 0
    isBack = true
    await expect.poll(() => new Set(http.records().map(({ callId }) => callId)).size, soon).toBe(25)
    await expect
      .poll(async () => (await readSinks(app.store, sinks))[0], soon)
      .toEqual({ id: expect.any(String), behind: 0 })
  })

  it('R-GOV-68 of several processes on a store gets each call once', async () => {
    await using http = await openHttp()
    await using folder = await openFolder()
    const file = join(folder.path, 'a.db')
    await using first = await createSqliteStore({ file })
    await using second = await createSqliteStore({ file })
    const sinks = [{ webhook: http.url, ...own }]
    await using one = await hostOf({ sinks }, { store: first, clock: hurried(5) })
    await using two = await hostOf({ sinks }, { store: second, clock: hurried(5) })
    await Promise.all(
      Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? one : two).host.tools.call('app__read', {}, asLocal)),
    )
    await expect.poll(() => http.records().length, soon).toBeGreaterThanOrEqual(40)
    await new Promise((settle) => setTimeout(settle, 500))
    expect(http.records()).toHaveLength(40)
  })

  it('R-GOV-68 misses nothing where its process is killed between the sending and the noting', async () => {
    await using folder = await openFolder()
    const file = join(folder.path, 'a.db')
    let child: ReturnType<typeof spawn> | undefined
    await using http = await openHttp((_request, count) => {
      // It has arrived; whoever sent it never hears so.
      if (count === 1) child?.kill('SIGKILL')
      return 200
    })
    child = spawn(process.execPath, [join(import.meta.dirname, 'call-until-killed.ts'), file, http.url, '30'], {
      stdio: 'ignore',
    })
    await once(child, 'exit')
    expect(http.requests.length).toBe(1)
    await using store = await createSqliteStore({ file })
    const made = new Set((await Array.fromAsync(readAudit(store))).map(({ callId }) => callId))
    expect(made.size).toBeGreaterThan(0)
    const sinks = [{ webhook: http.url, ...own }]
    await using app = await hostOf({ sinks }, { store, clock: hurried(60) })
    await expect.poll(() => http.requests.length, soon).toBeGreaterThan(1)
    await expect.poll(async () => (await readSinks(store, sinks))[0]?.behind, soon).toBe(0)
    const got = http.records().map(({ callId }) => String(callId))
    const ended = (await Array.fromAsync(readAudit(store))).filter(({ status }) => status !== 'open')
    expect(new Set(got)).toEqual(new Set(ended.map(({ callId }) => callId)))
    expect(app.host.tools.all().length).toBeGreaterThan(0)
  }, 60_000)

  it.each([
    ['UDP', openUdp],
    ['TCP', openTcp],
    ['TCP, with a server that never closes', () => openTcp({ closes: false })],
  ])('R-GOV-66 may be a syslog server over %s', async (_how, open) => {
    await using syslog = await open()
    await using app = await hostOf({ sinks: [{ syslog: syslog.url, ...own }] }, { clock: hurried(5) })
    await app.host.tools.call('app__read', { text: 'é\n' }, asLocal)
    await app.host.tools.call('app__fail', {}, asLocal)
    await expect.poll(() => syslog.messages().length, soon).toBe(2)
    const [read = '', fail = ''] = syslog.messages()
    expect(read).toMatch(/^<109>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ rollcall \d+ audit - \{.*"tool":"app__read".*\}$/)
    expect(fail).toMatch(/^<108>1 .*"status":"failed"/)
  })

  it('R-GOV-66 may be a collector of OpenTelemetry', async () => {
    await using http = await openHttp((_request, count) =>
      count === 1 ? '{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"too old"}}' : 200,
    )
    const sinks = [{ otlp: http.url, headers: { authorization: { env: 'TOKEN' } }, ...own }]
    await using app = await hostOf({ sinks }, { resolveSecret: async () => 'Bearer t', clock: hurried(20) })
    await app.host.tools.call('app__read', {}, asLocal)
    await expect.poll(() => http.requests.length, soon).toBe(1)
    await app.host.tools.call('app__fail', {}, asLocal)
    await expect.poll(() => http.requests.length, soon).toBe(2)
    const [{ path, headers, body } = noRequest] = http.requests
    expect({ path, authorization: headers.authorization }).toEqual({ path: '/v1/logs', authorization: 'Bearer t' })
    const { resourceLogs } = JSON.parse(body)
    expect(resourceLogs[0].resource.attributes).toContainEqual({
      key: 'service.name',
      value: { stringValue: 'rollcall' },
    })
    expect(resourceLogs[0].scopeLogs[0].logRecords).toMatchObject([
      {
        timeUnixNano: expect.stringMatching(/^\d{19}$/),
        severityText: 'INFO',
        body: { stringValue: 'app__read: ok' },
        attributes: expect.arrayContaining([
          { key: 'gen_ai.tool.name', value: { stringValue: 'app__read' } },
          { key: 'rollcall.profile', value: { stringValue: 'direct' } },
        ]),
      },
    ])
    // What it refused for good is not sent again and again.
    expect(http.requests[1]?.body).not.toContain('app__read')
  })

  it.each([
    { webhook: 'http://127.0.0.1:9/' },
    { syslog: 'udp://127.0.0.1:9' },
    { syslog: 'tcp://localhost:9' },
    { otlp: 'http://[::1]:9/' },
  ])('R-SEC-15 on a private address is not reached unless the operator says so: %j', async (sink) => {
    await using app = await hostOf({ sinks: [sink] }, { clock: hurried(20) })
    await app.host.tools.call('app__read', {}, asLocal)
    await expect
      .poll(async () => (await readSinks(app.store, [sink]))[0]?.failing?.message, soon)
      .toMatch(/not let out|private|loopback/)
  })
})
