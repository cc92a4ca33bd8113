import { type Guardrail, type GuardrailStage, guardrailStages, RollcallError } from '@rollcall/plugin'
import { describeThrown } from '../isolation/describe-thrown.ts'

/**
 * Checks what a listener announced and copies it: what its author does to the object afterwards changes nothing.
 *
 * @throws {RollcallError} `GUARDRAIL_INVALID`.
 */
export function checkGuardrail(announced: unknown, plugin: string): Guardrail {
  if (typeof announced !== 'object' || announced === null) throw invalid(plugin, 'it is no object')
  try {
    return Object.freeze(read(announced as Readonly<Record<string, unknown>>, plugin))
  } catch (error) {
    if (error instanceof RollcallError) throw error
    throw invalid(plugin, `it can't be read: ${describeThrown(error).message}`)
  }
}

function read(announced: Readonly<Record<string, unknown>>, plugin: string): Guardrail {
  const { id } = announced
  if (typeof id !== 'string' || !/^[a-z][a-z0-9-]{0,31}$/.test(id))
    throw invalid(plugin, 'its id is not 1 to 32 small letters, digits and dashes')
  const checks: { [stage in GuardrailStage]?: NonNullable<Guardrail[GuardrailStage]> } = {}
  for (const stage of guardrailStages) {
    const check = announced[stage]
    if (check === undefined) continue
    if (typeof check !== 'function') throw invalid(plugin, `the ${stage} of ${id} is no function`)
    checks[stage] = (text, context) => check.call(announced, text, context)
  }
  if (Object.keys(checks).length === 0) throw invalid(plugin, `${id} checks nothing`)
  return { id, ...checks }
}

function invalid(plugin: string, what: string): RollcallError {
  return new RollcallError('GUARDRAIL_INVALID', `${plugin} announced a guardrail that is refused: ${what}.`, {
    hint: `Announce { id: "my-rule", toolResult(text) { … } } with one or more of ${guardrailStages.join(', ')}.`,
  })
}
