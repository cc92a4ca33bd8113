import type { DataClassName, Effect, JsonSchema, TrustZone, TrustZoneName } from '@rollcall/plugin'
import { compileArguments } from '../catalogue/compile-arguments.ts'
import { lintSchema } from '../catalogue/lint-schema.ts'
import { configInvalid } from '../config/config-invalid.ts'
import { rankedClasses } from '../config/ranked-classes.ts'

/** One rule of the operator: when all of its conditions hold, it votes. */
export interface ConfiguredRule {
  readonly when: {
    /** Patterns on names. */
    readonly tool?: string | readonly string[]
    readonly group?: string | readonly string[]
    readonly effect?: Effect | readonly Effect[]
    /** Patterns on the names of what this consumer has read from. */
    readonly origin?: string | readonly string[]
    /** A JSON Schema that the arguments fit. */
    readonly args?: JsonSchema
    /** This consumer has read data of that class or a higher one. */
    readonly taint?: DataClassName
  }
  /** `allow` loosens an `ask` and never a denial. */
  readonly then: 'deny' | 'ask' | 'allow'
  readonly reason?: string
}

/** The operator's own tables and rules, as they stand in a configuration. */
export interface PolicyOptions {
  readonly rules?: readonly ConfiguredRule[]
  /** Classes of data by name; each ranks right above the one that it names. */
  readonly dataClasses?: Readonly<Record<string, { readonly above: DataClassName }>>
  /** Zones by name, each with the highest class that a consumer there may receive. */
  readonly zones?: Readonly<Record<string, { readonly ceiling: DataClassName }>>
  /** What the zones of all profiles do that say nothing of their own; default `enforce`. */
  readonly zoneMode?: 'enforce' | 'observe'
}

/** A rule that is ready to be asked. */
export interface PolicyRule extends Pick<ConfiguredRule, 'when' | 'reason'> {
  readonly vote: ConfiguredRule['then']
  /** Where it stands: `rules[0]`. */
  readonly place: string
  fits?(args: Parameters<ReturnType<typeof compileArguments>>[0]): boolean
}

/** The tables that the gate decides by, as data. */
export interface GatePolicy {
  /** From harmless to secret: the index is the rank. */
  readonly classes: readonly DataClassName[]
  readonly ceilings: ReadonlyMap<TrustZoneName, DataClassName>
  readonly rules: readonly PolicyRule[]
  readonly zoneMode: 'enforce' | 'observe'
}

/** Up to which class a consumer in a zone may receive data. */
export const zoneCeilings: Readonly<Record<TrustZone, DataClassName>> = {
  local: 'secretAdjacent',
  privateHosted: 'systemDiagnostics',
  externalEu: 'internalConfiguration',
  externalGlobal: 'editorContent',
}

/**
 * Puts the built-in tables and those of the operator together. Nothing built in can be redefined.
 *
 * @throws {RollcallError} `CONFIG_INVALID` for a rule whose schema can't be used.
 */
export function createPolicy(options: PolicyOptions = {}): GatePolicy {
  const { rules = [], dataClasses: classes = {}, zones = {}, zoneMode } = options
  return Object.freeze({
    classes: Object.freeze(rankedClasses(classes)),
    ceilings: new Map<TrustZoneName, DataClassName>([
      ...Object.entries(zones).map(([zone, { ceiling }]) => [zone, ceiling] as const),
      ...Object.entries(zoneCeilings),
    ]),
    rules: Object.freeze(rules.map(toPolicyRule)),
    zoneMode: zoneMode === 'observe' ? 'observe' : 'enforce',
  })
}

function toPolicyRule(rule: ConfiguredRule, index: number): PolicyRule {
  const { args } = rule.when
  const linted = args === undefined ? undefined : lintSchema(args)
  if (linted?.ok === false) {
    const fault = { path: `rules[${index}].when.args`, message: `can not be used as a schema: ${linted.why}` }
    throw configInvalid([fault], 'the rules')
  }
  const check = args === undefined ? undefined : compileArguments(args)
  return Object.freeze({
    when: rule.when,
    vote: rule.then,
    ...(rule.reason !== undefined && { reason: rule.reason }),
    place: `rules[${index}]`,
    ...(check !== undefined && { fits: (value: Parameters<typeof check>[0]) => check(value).ok }),
  })
}
