import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Figure } from '../figure.ts'
import { childrenOf, rssOf, startGateway } from './measure-gateway.ts'
import { firstPort, type Targets } from './targets.ts'

const count = 1_000
const inFlight = 64

/** What a thousand sessions cost that come, call and go, and how a killed server is borne under load. */
export async function measureSessions({ rollcall, folder }: Targets): Promise<readonly Figure[]> {
  await using gateway = await startGateway(rollcall, firstPort, folder)
  const once = async () => {
    const client = await gateway.connect()
    await client.callTool({ name: gateway.tool, arguments: { message: 'hi' } })
    await (client.transport as StreamableHTTPClientTransport).terminateSession()
    await client.close()
  }
  const idle = rssOf(gateway.pid)
  const children = childrenOf(gateway.pid).length
  for (let each = 0; each < count; each += 1) await once()
  const after = rssOf(gateway.pid)
  const grown = childrenOf(gateway.pid).length

  const clients = await Promise.all(Array.from({ length: 8 }, () => gateway.connect()))
  let hung = 0
  let failed = 0
  const call = async (index: number) => {
    const client = clients[index % clients.length] ?? clients[0]
    const answer = client?.callTool({ name: gateway.tool, arguments: { message: 'hi' } }, undefined, {
      timeout: 10_000,
    })
    const how = await Promise.race([
      answer?.then((result) => (result.isError ? 'failed' : 'ok')),
      sleep(10_000, 'hung'),
    ]).catch(() => 'failed')
    if (how === 'hung') hung += 1
    if (how === 'failed') failed += 1
    return how
  }
  const load = Array.from({ length: inFlight }, (_, index) => call(index))
  for (const pid of childrenOf(gateway.pid)) process.kill(pid, 'SIGKILL')
  const killedAt = performance.now()
  await Promise.all(load)
  while ((await call(0)) !== 'ok' && performance.now() - killedAt < 30_000) await sleep(20)
  const healthyMs = performance.now() - killedAt
  for (const client of clients) await client.close()
  return [
    {
      name: `RSS of \`rollcall serve\`, idle → after ${count} sessions`,
      median: `${idle.toFixed(0)} MB → ${after.toFixed(0)} MB`,
      beside: `${(((after - idle) * 1024) / count).toFixed(0)} KB a session; ${grown - Math.max(children, 1)} more children`,
      runs: 1,
    },
    {
      name: `server killed with ${inFlight} calls in flight: healthy again after`,
      median: `${healthyMs.toFixed(0)} ms`,
      beside: `${hung} hung, ${failed} failed at once`,
      runs: 1,
    },
  ]
}
