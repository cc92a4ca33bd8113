import { dataClasses, trustZones } from '@rollcall/plugin'
import { type Fault, joinPath, quoted } from './fault.ts'
import { rankedClasses } from './ranked-classes.ts'
import { isPlainObject } from './schema-node.ts'

type Members = Readonly<Record<string, unknown>>

/**
 * Faults of names that tables of the same configuration declare: classes of data and zones, and schemas of rules that are none.
 * Reads only what is well-formed.
 *
 * @param profiles by their path, since a file has them by name and code has a list
 */
export function policyFaults(
  config: unknown,
  profiles: readonly (readonly [path: string, profile: unknown])[],
): readonly Fault[] {
  const { dataClasses: ownClasses, zones, providers, rules } = membersOf(config)
  const declared = Object.keys(membersOf(ownClasses))
  const classes = [...dataClasses, ...declared]
  const names = { dataClass: classes, zone: [...trustZones, ...Object.keys(membersOf(zones))] }
  const check = (kind: keyof typeof names, path: string, value: unknown) => nameFault(kind, names[kind], path, value)

  return [
    ...redefined('dataClasses', ownClasses, dataClasses),
    ...redefined('zones', zones, trustZones),
    ...ranked(ownClasses),
    ...each(ownClasses, 'dataClasses').flatMap(([path, one]) => check('dataClass', `${path}.above`, one.above)),
    ...each(zones, 'zones').flatMap(([path, one]) => check('dataClass', `${path}.ceiling`, one.ceiling)),
    ...profiles.flatMap(([path, profile]) => {
      const { zone, ceiling } = membersOf(profile)
      return [...check('zone', `${path}.zone`, zone), ...check('dataClass', `${path}.ceiling`, ceiling)]
    }),
    ...each(providers, 'providers').flatMap(([path, one]) => [
      ...check('dataClass', `${path}.dataClass`, one.dataClass),
      ...check('zone', `${path}.zone`, one.zone),
      ...each(one.tools, `${path}.tools`).flatMap(([at, tool]) =>
        check('dataClass', `${at}.dataClass`, tool.dataClass),
      ),
    ]),
    ...(Array.isArray(rules) ? rules : []).flatMap((rule: unknown, index) => {
      const when = membersOf(membersOf(rule).when)
      const path = `rules[${index}].when`
      return [...check('dataClass', `${path}.taint`, when.taint), ...schemaFault(`${path}.args`, when.args)]
    }),
  ]
}

function nameFault(
  kind: 'dataClass' | 'zone',
  known: readonly string[],
  path: string,
  value: unknown,
): readonly Fault[] {
  if (typeof value !== 'string' || known.includes(value)) return []
  const noun = kind === 'zone' ? 'a zone' : 'a data class'
  return [{ path, message: `${quoted(value)} isn't ${noun}: ${known.join(', ')}` }]
}

function redefined(key: string, own: unknown, builtIn: readonly string[]): readonly Fault[] {
  return Object.keys(membersOf(own))
    .filter((name) => builtIn.includes(name))
    .map((name) => ({ path: joinPath(key, name), message: 'is built in, and stays as it is: choose another name' }))
}

/** Classes that stand above each other in a ring have no rank. */
function ranked(own: unknown): readonly Fault[] {
  const known = [...dataClasses, ...Object.keys(membersOf(own))] as readonly string[]
  const classes: Record<string, { readonly above: string }> = {}
  for (const [name, one] of Object.entries(membersOf(own))) {
    const { above } = membersOf(one)
    // Any other neighbour is a fault of its own.
    if (typeof above === 'string' && known.includes(above)) classes[name] = { above }
  }
  const placed = rankedClasses(classes)
  return Object.keys(classes)
    .filter((name) => !placed.includes(name))
    .map((name) => ({
      path: `${joinPath('dataClasses', name)}.above`,
      message: 'leads in a ring: begin with a built-in class',
    }))
}

function schemaFault(path: string, schema: unknown): readonly Fault[] {
  if (schema === undefined || isPlainObject(schema)) return []
  return [{ path, message: 'must be a JSON Schema, which is an object' }]
}

function each(record: unknown, path: string): readonly (readonly [path: string, members: Members])[] {
  return Object.entries(membersOf(record)).map(([key, value]) => [joinPath(path, key), membersOf(value)] as const)
}

function membersOf(value: unknown): Members {
  return isPlainObject(value) ? { ...value } : {}
}
