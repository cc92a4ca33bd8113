import { createHost, localUser } from '@rollcall/host'
import { services } from './legacy.ts'
import { migrated, unmigrated } from './migrated.ts'

const seen: string[] = []
for (const plugin of [unmigrated, migrated]) {
  await using host = await createHost({ plugins: [{ appId: 'notes', plugin }], services })
  const { providers, findings } = host.report()
  const lines = providers.filter(({ appId }) => appId === 'notes').map(({ source, state }) => `${source} ${state}`)
  const { status, text } = await host.tools.call('notes__list', {}, { principal: localUser })
  console.log(`\n${lines.join(', ')}\n  ${status}: ${text}`)
  for (const { code, message } of findings) console.log(`  ${code} ${message}`)
  seen.push(...lines, ...findings.map(({ code }) => code))
}

const expected = 'legacy active, LEGACY_ALIAS, announced active, legacy skipped, PROVIDER_SUPERSEDED'
if (seen.filter((word) => word !== 'TOOL_CLASS_MISSING').join(', ') !== expected) {
  console.error(`expected ${expected}; got ${seen.join(', ')}`)
  process.exitCode = 1
}
