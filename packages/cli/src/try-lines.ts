import { localUser, type ToolView } from '@rollcall/host'
import type { JsonObject } from '@rollcall/plugin'
import type { Service } from './open-service.ts'
import { principalOf } from './principals.ts'

/** Commands worth a try that work as they stand: a call that runs without asking, and a denial that explains itself. */
export function tryLines({ session, addresses }: Service, commandName: string): readonly string[] {
  const { tools } = session.host
  const runs = tools.all().filter(({ name }) => tools.why(name, { principal: localUser }).verdict.verdict === 'allow')
  const [best] = runs.flatMap((tool) => exampleOf(tool) ?? []).toSorted((a, b) => a.rank - b.rank)
  const outside = addresses.map(({ profile }) => profile).filter((name) => name !== 'default')[0] ?? 'default'
  const who = { principal: principalOf(outside), profile: outside }
  const denied = tools.all().find(({ name, holds }) => {
    const { verdict } = tools.why(name, who).verdict
    return holds.length === 0 && verdict === 'deny'
  })
  const lines = [
    ...(best === undefined ? [] : [`${commandName} call ${best.words}`]),
    ...(denied === undefined ? [] : [`${commandName} why ${denied.name} --profile ${outside}`]),
  ]
  return lines.map((line, at) => `  ${at === 0 ? 'Try' : '   '}   ${line}`)
}

/** A call of this tool that needs no knowledge of it; smaller rank: tells a newcomer more. */
function exampleOf(tool: ToolView): { readonly words: string; readonly rank: number } | undefined {
  if (tool.traits.effect !== 'read') return undefined
  const { properties, required } = tool.definition.inputSchema
  const needed = Array.isArray(required) ? required.filter((key) => typeof key === 'string') : []
  if (needed.length === 0) return { words: tool.name, rank: 1 }
  const [key] = needed
  const property = key === undefined ? undefined : (properties as JsonObject | undefined)?.[key]
  const isText = (property as { readonly type?: unknown } | undefined)?.type === 'string'
  const isGreeting = tool.original === 'echo' || tool.original === 'hello'
  return needed.length === 1 && isText && isGreeting ? { words: `${tool.name} ${key}=hello`, rank: 0 } : undefined
}
