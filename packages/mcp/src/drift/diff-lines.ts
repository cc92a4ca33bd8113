import { type Json, visibleText } from '@rollcall/plugin'

const most = { lines: 60, characters: 500 }

/** The lines of one comparison: whatever they show is visible, and they are bounded. */
export class DiffLines {
  readonly #lines: string[] = []

  /** Adds one fact; what is too long goes on in the next line. */
  add(fact: string): void {
    const text = visibleText(fact)
      .replace(/\s{4,}/g, (run) => ` [${run.length} blanks] `)
      .replace(/[\n\t]/g, (blank) => (blank === '\n' ? '\\n' : '\\t'))
    const characters = [...text]
    this.#lines.push(characters.slice(0, most.characters).join(''))
    for (let at = most.characters; at < characters.length; at += most.characters - 4) {
      this.#lines.push(`  … ${characters.slice(at, at + most.characters - 4).join('')}`)
    }
  }

  /** All of them; where there are too many, the last one says how many were left out. */
  done(): readonly string[] {
    if (this.#lines.length <= most.lines) return this.#lines
    const kept = this.#lines.slice(0, most.lines - 1)
    return [...kept, `… and ${this.#lines.length - kept.length} more lines: too much to show here.`]
  }
}

/** A value in one line. */
export function shown(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}
