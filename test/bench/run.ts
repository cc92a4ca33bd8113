import { readFile, writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import { root } from '../list-files.ts'
import { measureBoot } from './boot.ts'
import { createBuiltProject } from './built-project.ts'
import { measureBuiltinCall } from './builtin-call.ts'
import { measureCliTools } from './cli-tools.ts'
import type { Figure } from './figure.ts'
import { measureFirstList } from './first-list.ts'
import { measureGovernance } from './governance.ts'
import { measureImportCost } from './import-cost.ts'
import { measureLegacyScan } from './legacy-scan.ts'
import { measureSealing } from './sealing.ts'

/** Measures everything on built packages and writes the table into docs/figures.md between its marks. */
const before = loadavg()[0] ?? 0
await using project = await createBuiltProject()
const figures: Figure[] = []
const measures = [
  measureImportCost,
  measureCliTools,
  measureBoot,
  measureLegacyScan,
  measureBuiltinCall,
  measureGovernance,
  measureSealing,
  measureFirstList,
]
for (const measure of measures) {
  const measured = await measure(project)
  for (const { name, median, beside } of measured) console.log(`${name}: ${median} (${beside})`)
  figures.push(...measured)
}

const page = `${root}docs/figures.md`
const table = [
  `Node ${process.versions.node}, ${cpus().length} cores, load average ${before.toFixed(2)} before and ${(loadavg()[0] ?? 0).toFixed(2)} after.`,
  '',
  '| figure | median | beside, in the same run | runs |',
  '| --- | --- | --- | --- |',
  ...figures.map(({ name, median, beside, runs }) => `| ${name} | ${median} | ${beside} | ${runs} |`),
].join('\n')
const marks = /(<!-- bench -->\n)[\s\S]*?(<!-- \/bench -->)/
await writeFile(
  page,
  (await readFile(page, 'utf8')).replace(marks, (_, open: string, close: string) => `${open}${table}\n${close}`),
)
