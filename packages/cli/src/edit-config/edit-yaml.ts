import { RollcallError } from '@rollcall/plugin'
import { parseDocument } from 'yaml'
import type { ConfigEdit } from './edit-config.ts'

/**
 * Edits YAML; comments and order stay.
 *
 * @throws {RollcallError} `CONFIG_INVALID` for text that is no YAML.
 */
export function editYaml(text: string, edits: readonly ConfigEdit[]): string {
  const document = parseDocument(text)
  const [fault] = document.errors
  if (fault !== undefined) {
    throw new RollcallError('CONFIG_INVALID', 'The configuration is no YAML.', {
      hint: 'Correct its syntax.',
      cause: fault,
    })
  }
  for (const { path, value } of edits) {
    if (value === undefined) document.deleteIn(path)
    else document.setIn(path, document.createNode(value))
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: /[[{] \S/.test(text) })
}
