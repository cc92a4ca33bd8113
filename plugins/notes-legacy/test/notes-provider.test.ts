import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { notesFile } from '../src/notes-file.ts'
import { NotesProvider } from '../src/notes-provider.ts'

let folder: string
let file: string
let provider: NotesProvider

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollcall-notes-'))
  file = join(folder, 'state', 'notes.json')
  provider = new NotesProvider(file)
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const add = (text: string) => provider.invokeTool('notes.add', { text })
const list = () => provider.invokeTool('notes.list', { text: '' })

describe('NotesProvider', () => {
  it('adds notes and lists them, oldest first', async () => {
    expect(await list()).toEqual({ notes: [] })
    expect(await add('Buy milk')).toBe('Note 1 added.')
    expect(await add('Call Jo')).toBe('Note 2 added.')
    const notes = [
      { number: 1, text: 'Buy milk' },
      { number: 2, text: 'Call Jo' },
    ]
    expect(await list()).toEqual({ notes })
    expect(await new NotesProvider(file).invokeTool('notes.list', { text: '' })).toEqual({ notes })
  })

  it('gives each of many notes at once its own number', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => add(`note ${index}`)))
    const notes: { readonly number: number }[] = JSON.parse(await readFile(file, 'utf8'))
    expect(notes.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
  })

  it('leaves no unfinished file behind', async () => {
    await add('Buy milk')
    expect(await readdir(join(folder, 'state'))).toEqual(['notes.json'])
  })

  it('previews what adding would do', async () => {
    await add('Buy milk')
    expect(await provider.previewTool('notes.add')).toEqual(['adds note 2 to notes.json'])
    expect(await provider.previewTool('notes.list')).toEqual([])
  })

  it.each(['no json', '{}', '[{"number":"1"}]'])(
    'fails on a file that holds %s, and leaves it as it is',
    async (text) => {
      file = join(folder, 'broken.json')
      await writeFile(file, text)
      provider = new NotesProvider(file)
      for (const answer of [await list(), await add('lost?')]) {
        expect(answer).toMatchObject({ error: { code: 'NOTES_UNAVAILABLE' } })
        expect(JSON.stringify(answer)).not.toContain(folder)
      }
      expect(await readFile(file, 'utf8')).toBe(text)
      expect(await readdir(folder)).toEqual(['broken.json'])
    },
  )

  it('goes on after a note that could not be added', async () => {
    await writeFile(join(folder, 'state'), 'a file in the way')
    expect(await add('lost')).toMatchObject({ error: { code: 'NOTES_UNAVAILABLE' } })
    await rm(join(folder, 'state'))
    expect(await add('kept')).toBe('Note 1 added.')
  })

  it('answers an unknown tool with an error', async () => {
    expect(await provider.invokeTool('notes.burn', { text: '' })).toMatchObject({ error: { code: 'NO_SUCH_TOOL' } })
  })
})

describe('notesFile', () => {
  it('is the file named, or notes.json of the state folder, or of .rollcall', () => {
    expect(notesFile({ NOTES_FILE: '/n/own.json', ROLLCALL_STATE_DIR: '/s' })).toBe('/n/own.json')
    expect(notesFile({ ROLLCALL_STATE_DIR: '/s' })).toBe(join('/s', 'notes.json'))
    expect(notesFile({ NOTES_FILE: '' })).toBe(join('.rollcall', 'notes.json'))
  })
})
