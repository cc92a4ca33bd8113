import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { createHost as CreateHost } from '@rollcall/host'
import type { BuiltProject } from './built-project.ts'
import { type Figure, median, ms } from './figure.ts'

const plugins = 100
const runs = 7

/** The legacy scan over a hundred unmigrated packages: the first refresh of a host, and a warm one beside it. */
export async function measureLegacyScan(project: BuiltProject): Promise<readonly Figure[]> {
  const { createHost }: { createHost: typeof CreateHost } = await import(project.url('@rollcall/host'))
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-legacy-'))
  try {
    const specifiers: string[] = []
    for (let index = 0; index < plugins; index++) specifiers.push(await writePlugin(folder, index))
    const boots: number[] = []
    const bare: number[] = []
    const warm: number[] = []
    for (let run = 0; run < runs; run++) {
      const began = performance.now()
      const host = await createHost({ plugins: specifiers, cwd: folder, legacyScan: 'on' })
      boots.push(performance.now() - began)
      const again = performance.now()
      await host.refresh()
      warm.push(performance.now() - again)
      await host[Symbol.asyncDispose]()
      const without = performance.now()
      const off = await createHost({ plugins: specifiers, cwd: folder, legacyScan: 'off' })
      bare.push(performance.now() - without)
      await off[Symbol.asyncDispose]()
    }
    const cold = median(boots.map((boot, run) => boot - (bare[run] ?? 0)))
    return [
      {
        name: `legacy scan of ${plugins} packages, cold (boot with it less boot without it)`,
        median: ms(cold),
        beside: `boot without the scan: ${ms(median(bare))}`,
        runs,
      },
      {
        name: `legacy scan of ${plugins} packages, warm (a whole refresh)`,
        median: ms(median(warm)),
        beside: `${(median(warm) / median(boots)).toFixed(2)} × a boot with the cold scan`,
        runs,
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function writePlugin(folder: string, index: number): Promise<string> {
  const appId = `old${index}`
  const home = join(folder, appId)
  await mkdir(home)
  const descriptor = `{ id: '${appId}.list', name: 'list', description: 'Lists.', inputSchema: { type: 'object' }, scope: 'read', dataClass: 'publicContent' }`
  await writeFile(
    join(home, 'package.json'),
    JSON.stringify({ name: appId, version: '1.0.0', type: 'module', main: './index.js', rollcall: { appId } }),
  )
  await writeFile(
    join(home, 'index.js'),
    `const provider = { getAppId: () => '${appId}', getTools: () => [${descriptor}], invokeTool: () => 'x' }\n` +
      `export default { register(services) { services.register('ToolProvider::${appId}', () => provider) } }\n`,
  )
  return `./${appId}`
}
