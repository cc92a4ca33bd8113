import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export interface Note {
  readonly number: number
  readonly text: string
}

/** Where the notes lie: `NOTES_FILE`, or `notes.json` in the state folder. */
export function notesFile(env: NodeJS.ProcessEnv): string {
  return env.NOTES_FILE || join(env.ROLLCALL_STATE_DIR || '.rollcall', 'notes.json')
}

/** All notes, oldest first; none where there is no file. Throws for a file that holds anything else. */
export async function readNotes(file: string): Promise<readonly Note[]> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
  const notes: unknown = JSON.parse(text)
  if (Array.isArray(notes) && notes.every(isNote)) return notes
  throw new TypeError('it holds something other than a list of notes')
}

/** The number that the next note gets. */
export function nextNumber(notes: readonly Note[]): number {
  return notes.reduce((highest, { number }) => Math.max(highest, number), 0) + 1
}

/** Adds a note and gives its number. A reader sees all notes before it, or all with it. */
export async function addNote(file: string, text: string): Promise<number> {
  const notes = await readNotes(file)
  const number = nextNumber(notes)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const unfinished = `${file}.${process.pid}.tmp`
  try {
    await writeFile(unfinished, `${JSON.stringify([...notes, { number, text }], null, 2)}\n`, { mode: 0o600 })
    await rename(unfinished, file)
  } finally {
    await rm(unfinished, { force: true })
  }
  return number
}

function isNote(note: unknown): note is Note {
  return (
    typeof note === 'object' &&
    note !== null &&
    'number' in note &&
    typeof note.number === 'number' &&
    'text' in note &&
    typeof note.text === 'string'
  )
}
