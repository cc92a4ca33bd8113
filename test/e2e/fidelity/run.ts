// Prints which features of the protocol pass the gateway: node test/e2e/fidelity/run.ts [upstreams]
import { features } from './features.ts'
import { openProbe } from './open-probe.ts'

await using probe = await openProbe(Number(process.argv[2] ?? 1))
let passed = 0
for (const { name, prove } of features) {
  try {
    await prove(probe)
    passed += 1
  } catch (error) {
    console.log(`lost: ${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
console.log(`${passed} of ${features.length}`)
process.exitCode = passed === features.length ? 0 : 1
