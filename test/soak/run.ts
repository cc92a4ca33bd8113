import { parseArgs } from 'node:util'
import { judge, longLimits, shortLimits } from './judge.ts'
import { soak } from './soak.ts'

/**
 * Serves for a long time while clients work and things break: `--minutes <n>`, default 30; `--seed <n>` repeats the choices
 * of an earlier run; `--clients <n>`, default 8; `--json`. Ends with 1 when a limit is broken.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    clients: { type: 'string', default: '8' },
    json: { type: 'boolean', default: false },
  },
})
const minutes = Number(values.minutes)
const seed = Number(values.seed)
const say = (line: string) => void process.stderr.write(`${line}\n`)
say(`seed ${seed}, ${minutes} minutes, ${values.clients} clients`)
const result = await soak({ seconds: minutes * 60, seed, clients: Number(values.clients), say })
const verdicts = judge(result, minutes < 10 ? shortLimits : longLimits)
const { tally, broken, samples, quiet } = result
const { counts, hung, longestMs } = tally
const reasons = Object.fromEntries([...tally.reasons].toSorted(([, one], [, other]) => other - one))
if (values.json) {
  console.log(JSON.stringify({ seed, minutes, verdicts, counts, hung, longestMs, reasons, broken, quiet, samples }))
} else {
  console.log(
    `${counts.fine} requests fine, ${counts.failed} failed, ${counts.refused} refused, longest ${longestMs.toFixed(0)} ms`,
  )
  console.log(`${broken.upstreams} servers killed, ${broken.web} restarted over HTTP, ${broken.cuts} clients cut`)
  for (const [reason, times] of Object.entries(reasons).slice(0, 12)) console.log(`  ${times} × ${reason}`)
  for (const line of hung) console.log(`  hung: ${line}`)
  for (const { name, value, limit, isFine } of verdicts) {
    console.log(`${isFine ? '✓' : '✗'} ${name}: ${Number(value.toFixed(2))} (at most ${limit})`)
  }
}
process.exitCode = verdicts.every(({ isFine }) => isFine) ? 0 : 1
