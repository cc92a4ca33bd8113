import { visibleText } from '@rollcall/plugin'

/** One thing that is wrong, and where. */
export interface Fault {
  /** As one would write it in code: `providers.memory.dataClass`, `plugins[2]`. Empty: the whole. */
  readonly path: string
  readonly message: string
}

/** The path of a key inside what `path` names. */
export function joinPath(path: string, key: string): string {
  if (!/^[A-Za-z_$][\w$-]*$/.test(key)) return `${path}[${quoted(key)}]`
  return path === '' ? key : `${path}.${key}`
}

/** A foreign text as it may be shown: quoted, short, without hidden characters. */
export function quoted(text: string): string {
  return JSON.stringify(visibleText(text.length > 60 ? `${text.slice(0, 60)}…` : text))
}
