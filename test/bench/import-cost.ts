import { execa } from 'execa'
import type { BuiltProject } from './built-project.ts'
import { type Figure, median, ms } from './figure.ts'

const runs = 11

/** What importing the built host costs in a fresh process, beyond a bare Node of the same run. */
export async function measureImportCost(project: BuiltProject): Promise<readonly Figure[]> {
  const bare: { ms: number; mb: number }[] = []
  const host: { ms: number; mb: number }[] = []
  for (let run = 0; run <= runs; run++) {
    const empty = await cost('')
    const loaded = await cost(`await import(${JSON.stringify(project.url('@rollcall/host'))})`)
    if (run === 0) continue
    bare.push(empty)
    host.push(loaded)
  }
  const extraMs = median(host.map((one, run) => one.ms - (bare[run]?.ms ?? 0)))
  const extraMb = median(host.map((one, run) => one.mb - (bare[run]?.mb ?? 0)))
  return [
    {
      name: 'import of the built host beyond bare Node',
      median: `${ms(extraMs)}, ${extraMb.toFixed(1)} MB`,
      beside: `bare Node ${ms(median(bare.map((one) => one.ms)))}, ${median(bare.map((one) => one.mb)).toFixed(1)} MB`,
      runs,
    },
  ]
}

async function cost(code: string): Promise<{ ms: number; mb: number }> {
  const began = performance.now()
  const { stdout } = await execa(process.execPath, [
    '--input-type=module',
    '-e',
    `${code}\nprocess.stdout.write(String(process.memoryUsage.rss()))`,
  ])
  return { ms: performance.now() - began, mb: Number(stdout) / 1_048_576 }
}
