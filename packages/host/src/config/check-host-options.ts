import { KeyObject } from 'node:crypto'
import { Type } from '@rollcall/plugin'
import type { TSchema } from 'typebox'
import type { HostOptions } from '../host-options.ts'
import { configInvalid } from './config-invalid.ts'
import { configSchema, profileKeys } from './config-schema.ts'
import type { Fault } from './fault.ts'
import { policyFaults } from './policy-faults.ts'
import { policyKeys } from './policy-schema.ts'
import { commandKeys, keepingKeys, operatorKeys, urlKeys } from './provider-schema.ts'
import { schemaFaults } from './schema-faults.ts'
import { isPlainObject, received } from './schema-node.ts'

/**
 * Checks options that were given in code, where no compiler may have seen them. Looks at no plugin from inside.
 *
 * @throws {RollcallError} `CONFIG_INVALID` with all faults at once; `data.faults` is `[{ path, message }]`.
 */
export function checkHostOptions(options: HostOptions): void {
  const faults = [...schemaFaults(hostOptionsSchema, options), ...policyFaults(options, placesOf(options))]
  const all = faults.length > 0 ? faults : repeatedProfiles(options.profiles ?? [])
  if (all.length > 0) throw configInvalid(all, 'the options of createHost')
}

const closed = { additionalProperties: false } as const
const name = Type.String({ minLength: 1 })
const onFailure = Type.Optional(Type.Enum(['report', 'abort'], { noun: 'an onFailure' }))
const options = Type.Optional(Type.Unknown())

const pluginEntry = Type.Union(
  [
    name,
    Type.Tuple([name, Type.Unknown()]),
    Type.Object({ specifier: name, options, onFailure }, closed),
    Type.Object(
      { appId: Type.Union([name, Type.Array(name, { minItems: 1 })]), plugin: port(), options, onFailure },
      closed,
    ),
  ],
  { noun: 'a plugin: a name, [name, options], { specifier } or { appId, plugin }' },
)

const server = Type.Union([
  Type.Object({ ...commandKeys, ...keepingKeys }, closed),
  Type.Object({ ...urlKeys, ...keepingKeys }, closed),
])

// Every option has its line here: a new one that is forgotten does not compile.
const schemas: { readonly [option in keyof Required<HostOptions>]: TSchema } = {
  plugins: Type.Array(pluginEntry),
  pluginsFrom: configSchema.properties.pluginsFrom,
  // Compared in lower case, so that code may write a capital letter where a file may not.
  providers: Type.Record(
    Type.String({ pattern: '^[A-Za-z][A-Za-z0-9-]{0,31}$' }),
    Type.Object({ ...operatorKeys, server: Type.Optional(server) }, closed),
    { keyNoun: 'an appId' },
  ),
  profiles: Type.Array(Type.Object({ name, ...profileKeys }, closed)),
  guardrails: configSchema.properties.guardrails,
  audit: configSchema.properties.audit,
  connectMcp: code(),
  rules: policyKeys.rules,
  dataClasses: policyKeys.dataClasses,
  zones: policyKeys.zones,
  zoneMode: policyKeys.zoneMode,
  outbound: configSchema.properties.outbound,
  cwd: name,
  services: port('has', 'get'),
  legacyScan: configSchema.properties.legacyScan,
  pluginTimeoutMs: configSchema.properties.pluginTimeoutMs,
  store: port('append', 'read', 'heads'),
  auditKey: Type.Unknown({
    check: (value: unknown) =>
      value instanceof KeyObject && value.asymmetricKeyType === 'ed25519' && value.type === 'private'
        ? undefined
        : 'must be an Ed25519 private key',
  }),
  resolveSecret: code(),
  logger: port('debug', 'info', 'warn', 'error'),
  clock: port('now', 'sleep'),
  variables: Type.Record(Type.String(), Type.String(), { concealed: true }),
}

const hostOptionsSchema = Type.Partial(Type.Object(schemas, closed), closed)

function code(): TSchema {
  return Type.Unknown({
    check: (value: unknown) =>
      typeof value === 'function' ? undefined : `must be a function, received ${received(value, true)}`,
  })
}

/** An object that the host calls or hands on: only its methods are looked at. */
function port(...methods: readonly string[]): TSchema {
  return Type.Unknown({
    check(value: unknown) {
      if (typeof value !== 'object' || value === null) return `must be an object, received ${received(value, true)}`
      const absent = methods.find((method) => typeof Reflect.get(value, method) !== 'function')
      return absent === undefined ? undefined : `has no method "${absent}"`
    },
  })
}

// Whatever was given: that it is a list is checked elsewhere.
function placesOf(options: unknown): Parameters<typeof policyFaults>[1] {
  const profiles: unknown = isPlainObject(options) ? Reflect.get(options, 'profiles') : undefined
  return Array.isArray(profiles) ? profiles.map((profile, index) => [`profiles[${index}]`, profile] as const) : []
}

function repeatedProfiles(profiles: NonNullable<HostOptions['profiles']>): readonly Fault[] {
  const names = profiles.map((profile) => profile.name)
  return names.flatMap((each, index) =>
    names.indexOf(each) < index ? [{ path: `profiles[${index}].name`, message: `"${each}" is given twice` }] : [],
  )
}
