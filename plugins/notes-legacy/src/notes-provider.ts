import { basename } from 'node:path'
import { addNote, nextNumber, readNotes } from './notes-file.ts'

/** Notes in a file, as a provider of the time before the registration event. */
export class NotesProvider {
  readonly #file: string
  // One write after another, so that two notes never get one number.
  #lastWrite: Promise<unknown> = Promise.resolve()

  constructor(file: string) {
    this.#file = file
  }

  getAppId() {
    return 'notes'
  }

  getTools() {
    return [
      {
        id: 'notes.list',
        name: 'list',
        description: 'All notes, oldest first.',
        inputSchema: { type: 'object', properties: {}, additionalProperties: false },
        scope: 'read',
        dataClass: 'editorContent',
      },
      {
        id: 'notes.add',
        name: 'add',
        description: 'Adds a note.',
        inputSchema: {
          type: 'object',
          properties: { text: { type: 'string', minLength: 1, maxLength: 10_000, description: 'What to note.' } },
          required: ['text'],
          additionalProperties: false,
        },
        scope: 'create',
        dataClass: 'editorContent',
      },
    ]
  }

  async invokeTool(id: string, args: { readonly text: string }) {
    try {
      if (id === 'notes.list') return { notes: await readNotes(this.#file) }
      if (id === 'notes.add') return `Note ${await this.#add(args.text)} added.`
      return { error: { code: 'NO_SUCH_TOOL', message: `There is no tool ${id}.` } }
    } catch (error) {
      return { error: { code: 'NOTES_UNAVAILABLE', message: `${basename(this.#file)}: ${reasonOf(error)}` } }
    }
  }

  async previewTool(id: string) {
    if (id !== 'notes.add') return []
    const notes = await readNotes(this.#file)
    return [`adds note ${nextNumber(notes)} to ${basename(this.#file)}`]
  }

  #add(text: string): Promise<number> {
    const adding = this.#lastWrite.then(() => addNote(this.#file, text))
    this.#lastWrite = adding.catch(() => {})
    return adding
  }
}

// The message of a system error holds the whole path, which is nobody's business.
function reasonOf(error: unknown): string {
  if (error instanceof Error) return 'code' in error ? String(error.code) : error.message
  return String(error)
}
