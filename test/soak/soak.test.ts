import { expect, it } from 'vitest'
import { judge, shortLimits } from './judge.ts'
import { soak } from './soak.ts'

it.runIf(process.platform === 'linux')(
  'a minute of work while servers are killed and clients cut leaves no request hanging, and no process or file open',
  async () => {
    const lines: string[] = []
    const result = await soak({ seconds: 60, seed: 3, clients: 4, say: (line) => void lines.push(line) })
    const { tally, broken } = result
    // A run in which nothing went wrong, or nothing went well, would show nothing.
    expect(broken.upstreams, lines.join('\n')).toBeGreaterThan(0)
    expect(broken.web).toBeGreaterThan(0)
    expect(broken.cuts).toBeGreaterThan(0)
    expect(tally.counts.fine, lines.join('\n')).toBeGreaterThan(tally.counts.failed + tally.counts.refused)
    expect(tally.hung).toEqual([])
    expect(judge(result, shortLimits).filter(({ isFine }) => !isFine)).toEqual([])
  },
  150_000,
)
