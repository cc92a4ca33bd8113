import type { ConfiguredRule, createHost as CreateHost, localUser as LocalUser } from '@rollcall/host'
import { definePlugin, defineTool, RegisterToolProvidersEvent } from '@rollcall/plugin'
import type { BuiltProject } from './built-project.ts'
import { type Figure, median, ms } from './figure.ts'

const tools = 10_000
const ruleCount = 100
const rounds = 7

/** The gate over ten thousand tools and a hundred rules, beside the same tools without a rule. */
export async function measureGovernance(project: BuiltProject): Promise<readonly Figure[]> {
  const built: { createHost: typeof CreateHost; localUser: typeof LocalUser } = await import(
    project.url('@rollcall/host')
  )
  const made = Array.from({ length: tools }, (_, index) =>
    defineTool({
      name: `tool_${index}`,
      description: 'Does something.',
      effect: index % 3 === 0 ? 'write' : 'read',
      dataClass: index % 2 === 0 ? 'publicContent' : 'sourceCode',
      group: `group_${index % 50}`,
      execute: () => 'done',
    }),
  )
  const plugin = definePlugin({
    setup: ({ on }) => void on(RegisterToolProvidersEvent, (event) => event.announce({ kind: 'builtin', tools: made })),
  })
  const rules: readonly ConfiguredRule[] = Array.from({ length: ruleCount }, (_, index) => ({
    when: index % 2 === 0 ? { tool: `many__tool_${index}*`, effect: 'write' } : { group: `group_${index}` },
    then: index % 3 === 0 ? 'deny' : 'ask',
  }))
  await using ruled = await built.createHost({ plugins: [{ appId: 'many', plugin }], rules })
  await using plain = await built.createHost({ plugins: [{ appId: 'many', plugin }] })
  const who = { principal: built.localUser }
  const decide = (host: typeof ruled) => {
    const times: number[] = []
    for (let index = 0; index < 5_000; index++) {
      const began = performance.now()
      host.tools.why(`many__tool_${(index * 7) % tools}`, who)
      times.push(performance.now() - began)
    }
    return median(times)
  }
  // A narrowing that nobody has asked for before is judged anew, tool by tool.
  let asked = 0
  const offer = (host: typeof ruled) => {
    asked += 1
    const began = performance.now()
    host.tools.list({ ...who, allow: ['many__*', `!none_${asked}`] })
    return performance.now() - began
  }
  const measured = Array.from({ length: rounds + 1 }, () => ({
    ruledDecision: decide(ruled),
    plainDecision: decide(plain),
    ruledOffer: offer(ruled),
    plainOffer: offer(plain),
  })).slice(1)
  const of = (key: keyof (typeof measured)[number]) => median(measured.map((one) => one[key]))
  const micro = (value: number) => `${(value * 1000).toFixed(1)} µs`
  return [
    {
      name: `gate decision with its explanation, ${tools} tools, ${ruleCount} rules, p50`,
      median: micro(of('ruledDecision')),
      beside: `without rules: ${micro(of('plainDecision'))}; ratio ${(of('ruledDecision') / of('plainDecision')).toFixed(1)}`,
      runs: rounds,
    },
    {
      name: `offering ${tools} tools to a profile, ${ruleCount} rules, not asked before`,
      median: ms(of('ruledOffer')),
      beside: `without rules: ${ms(of('plainOffer'))}; ratio ${(of('ruledOffer') / of('plainOffer')).toFixed(1)}`,
      runs: rounds,
    },
  ]
}
