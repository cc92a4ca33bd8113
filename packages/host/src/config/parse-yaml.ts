import { parseDocument } from 'yaml'
import type { Parsed } from './parse-config.ts'
import { placeIn } from './place-in.ts'

/** Reads one YAML document. Unknown tags, keys written twice and references that multiply are faults. */
export function parseYaml(text: string): Parsed {
  try {
    // Its own messages quote the text, which may hold a secret.
    const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent' })
    const [error] = [...document.errors, ...document.warnings]
    if (error === undefined) return { ok: true, value: document.toJS({ maxAliasCount: 100 }) ?? {} }
    return { ok: false, fault: { path: placeIn(text, error.pos[0]), message: wordsOf(error.code) } }
  } catch (error) {
    if (error instanceof RangeError) return { ok: false, fault: { path: '', message: 'is nested too deeply' } }
    if (!(error instanceof ReferenceError)) throw error
    return {
      ok: false,
      fault: { path: '', message: 'has a reference (*name) that leads nowhere or multiplies too often' },
    }
  }
}

function wordsOf(code: string): string {
  return code.toLowerCase().replaceAll('_', ' ')
}
