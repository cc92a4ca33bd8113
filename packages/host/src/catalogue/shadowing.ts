import type { InspectedTexts, Suspicion } from './suspicious.ts'
import type { ToolOwners } from './tools-named.ts'

/** Whose texts are read, and who else is there. */
export interface Neighbours {
  readonly appId: string
  /** All appIds of this catalogue. */
  readonly appIds: ReadonlySet<string>
  readonly owners: ToolOwners
}

/** What in texts names a tool of another provider: they could steer how that one is used. */
export function shadowingIn(
  { mentions, toolsNamed }: Pick<InspectedTexts, 'mentions' | 'toolsNamed'>,
  { appId, appIds, owners }: Neighbours,
): Suspicion | undefined {
  for (const mentioned of mentions)
    if (mentioned !== appId && appIds.has(mentioned)) return shadowing(mentioned, `${mentioned}__…`)
  for (const named of toolsNamed) {
    const whose = owners.get(named)
    if (whose === undefined || whose.has(appId)) continue
    const [other = ''] = whose
    return shadowing(other, named)
  }
  return undefined
}

function shadowing(other: string, excerpt: string): Suspicion {
  return { what: `the name of a tool of ${other}`, where: 'its texts', excerpt }
}
