import { readFile, writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import { root } from '../../list-files.ts'
import { createBuiltProject } from '../built-project.ts'
import { median } from '../figure.ts'
import { measureGateway, type Pass } from './measure-gateway.ts'
import { measureSessions } from './sessions.ts'
import { createTargets, firstPort } from './targets.ts'

/**
 * Measures Rollcall beside other gateways, all in front of the same server, and writes ratios into docs/figures.md. Needs the
 * registry, for the peers. `--passes <n>`, default 5.
 */
const at = process.argv.indexOf('--passes')
const passes = at === -1 ? 5 : Number(process.argv[at + 1])
const before = loadavg()[0] ?? 0
await using project = await createBuiltProject()
await using targets = await createTargets(project)
const measured = new Map<string, Pass[]>()
const ours: Pass[] = []
for (let pass = 0; pass < passes; pass += 1) {
  // Rollcall before and after the others, so that a machine that slows down favours nobody.
  const first = await measureGateway(targets.rollcall, firstPort, targets.folder)
  for (const [index, target] of targets.others.entries()) {
    const result = await measureGateway(target, firstPort + 1 + index, targets.folder)
    measured.set(target.name, [...(measured.get(target.name) ?? []), result])
  }
  const last = await measureGateway(targets.rollcall, firstPort, targets.folder)
  ours.push(mean(first, last))
  console.log(`pass ${pass + 1}: ${JSON.stringify(ours.at(-1))}`)
}
const sessions = await measureSessions(targets)
for (const { name, median: value, beside } of sessions) console.log(`${name}: ${value} (${beside})`)

const rows: readonly (readonly [label: string, key: keyof Pass])[] = [
  ['p50 of a call', 'p50Ms'],
  ['p95 of a call', 'p95Ms'],
  ['calls a second, 16 sessions', 'callsPerSecond'],
  ['first list after spawn', 'firstListMs'],
  ['opening 16 sessions', 'open16Ms'],
  ['RSS of the gateway, idle', 'idleMb'],
  ['RSS of the gateway at the end', 'endMb'],
]
const names = targets.others.map(({ name }) => name)
const table = [
  `Node ${process.versions.node}, ${cpus().length} cores, ${passes} passes, load average ${before.toFixed(2)} before and ${(loadavg()[0] ?? 0).toFixed(2)} after.`,
  '',
  `| Rollcall divided by | ${names.join(' | ')} | Rollcall itself |`,
  `| --- |${names.map(() => ' --- |').join('')} --- |`,
  ...rows.map(([label, key]) => {
    const cells = names.map((name) => ratio(ours, measured.get(name) ?? [], key))
    return `| ${label} | ${cells.join(' | ')} | ${Number(median(ours.map((pass) => pass[key])).toPrecision(3))} |`
  }),
  '',
  '| figure | measured | |',
  '| --- | --- | --- |',
  ...sessions.map(({ name, median: value, beside }) => `| ${name} | ${value} | ${beside} |`),
].join('\n')
const page = `${root}docs/figures.md`
const marks = /(<!-- gateways -->\n)[\s\S]*?(<!-- \/gateways -->)/
await writeFile(
  page,
  (await readFile(page, 'utf8')).replace(marks, (_, open: string, close: string) => `${open}${table}\n${close}`),
)

function mean(one: Pass, other: Pass): Pass {
  const keys = Object.keys(one) as (keyof Pass)[]
  return Object.fromEntries(keys.map((key) => [key, (one[key] + other[key]) / 2])) as unknown as Pass
}

function ratio(own: readonly Pass[], theirs: readonly Pass[], key: keyof Pass): string {
  const ratios = own.map((pass, index) => pass[key] / (theirs[index]?.[key] ?? Number.NaN))
  return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`
}
