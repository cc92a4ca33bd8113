import type { JsonObject } from '@rollcall/plugin'

/** A schema of the SDK, as far as it is asked here. */
interface Schema {
  safeParse(value: unknown):
    | { readonly success: true }
    | {
        readonly success: false
        readonly error: { readonly issues: readonly { readonly path: readonly PropertyKey[] }[] }
      }
}

/**
 * An entry of a list without the optional fields that clients would refuse, or `undefined` where that doesn't help.
 *
 * Clients of the SDK refuse a whole list for one malformed entry.
 */
export function acceptable(
  schema: Schema,
  entry: JsonObject,
  optionalKeys: ReadonlySet<string>,
): JsonObject | undefined {
  const checked = schema.safeParse(entry)
  if (checked.success) return entry
  const refused = new Set(checked.error.issues.map((issue) => String(issue.path[0])))
  const rest = Object.fromEntries(Object.entries(entry).filter(([key]) => !refused.has(key) || !optionalKeys.has(key)))
  return schema.safeParse(rest).success ? rest : undefined
}
