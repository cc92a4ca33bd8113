import { dataClasses, effects, Type, trustZones } from '@rollcall/plugin'

const closed = { additionalProperties: false } as const
const text = Type.String({ minLength: 1 })
const oneOrMore = Type.Union([text, Type.Array(text, { minItems: 1 })])
const effect = Type.Enum(effects, { noun: 'an effect' })
const zoneMode = Type.Enum(['enforce', 'observe'], {
  noun: 'a zoneMode',
  description: '"observe" records what a zone is against and lets it through, external tools excepted.',
})

/** The name of a class of data: a built-in one or one of `dataClasses`. Checked by `policyFaults`. */
export const classKey = (description: string) =>
  Type.String({
    noun: `one of ${dataClasses.join(', ')}, or of "dataClasses"`,
    examples: [...dataClasses],
    description,
  })

/** The name of a zone: a built-in one or one of `zones`. Checked by `policyFaults`. */
export const zoneKey = (description: string) =>
  Type.String({ noun: `one of ${trustZones.join(', ')}, or of "zones"`, examples: [...trustZones], description })

/** The mode of a profile's zone. */
export const zoneModeKey = Type.Optional(zoneMode)

/** The operator's own tables and rules: the same in a file and in code. */
export const policyKeys = {
  rules: Type.Optional(
    Type.Array(
      Type.Object(
        {
          when: Type.Object(
            {
              tool: Type.Optional(oneOrMore),
              group: Type.Optional(oneOrMore),
              effect: Type.Optional(Type.Union([effect, Type.Array(effect, { minItems: 1 })])),
              origin: Type.Optional(oneOrMore),
              args: Type.Optional(
                Type.Unknown({ json: true, description: 'A JSON Schema that the arguments of a call fit.' }),
              ),
              taint: Type.Optional(classKey('The consumer has read data of that class or a higher one.')),
            },
            closed,
          ),
          then: Type.Enum(['deny', 'ask', 'allow'], { noun: 'a verdict' }),
          reason: Type.Optional(Type.String()),
        },
        closed,
      ),
      { description: 'What the operator wants of some calls; the strictest that matches counts.' },
    ),
  ),
  dataClasses: Type.Optional(
    Type.Record(
      Type.String({ pattern: '^[a-z][A-Za-z0-9]{0,31}$' }),
      Type.Object({ above: classKey('Its neighbour below.') }, closed),
      {
        keyNoun: 'a data class',
        description: "Classes of the operator's own, each right above the one it names.",
      },
    ),
  ),
  zones: Type.Optional(
    Type.Record(
      Type.String({ pattern: '^[a-z][A-Za-z0-9]{0,31}$' }),
      Type.Object({ ceiling: classKey('The highest class that may go there.') }, closed),
      {
        keyNoun: 'a zone',
        description: "Zones of the operator's own.",
      },
    ),
  ),
  zoneMode: zoneModeKey,
}
