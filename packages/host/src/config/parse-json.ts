import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { type Fault, joinPath } from './fault.ts'
import type { Parsed } from './parse-config.ts'
import { placeIn } from './place-in.ts'

/** Reads JSON with comments and trailing commas. A key that is written twice is a fault: one of the two would be lost. */
export function parseJson(text: string): Parsed {
  try {
    const errors: ParseError[] = []
    const tree = parseTree(text, errors, { allowTrailingComma: true })
    const [error] = errors
    if (error !== undefined) return { ok: false, fault: { path: placeIn(text, error.offset), message: wordsOf(error) } }
    if (tree === undefined) return { ok: false, fault: { path: '', message: 'is empty: write {}' } }
    const twice = findTwice(tree, '')
    return twice === undefined ? { ok: true, value: getNodeValue(tree) } : { ok: false, fault: twice }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return { ok: false, fault: { path: '', message: 'is nested too deeply' } }
  }
}

function wordsOf({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .toLowerCase()
}

function findTwice(node: Node, path: string): Fault | undefined {
  const seen = new Set<string>()
  for (const [index, child] of (node.children ?? []).entries()) {
    if (node.type === 'array') {
      const fault = findTwice(child, `${path}[${index}]`)
      if (fault !== undefined) return fault
      continue
    }
    const [name, value] = child.children ?? []
    const at = joinPath(path, String(name?.value))
    if (seen.has(at)) return { path: at, message: 'is written twice' }
    seen.add(at)
    const fault = value && findTwice(value, at)
    if (fault !== undefined) return fault
  }
  return undefined
}
