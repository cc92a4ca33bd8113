import type { LegacyServices } from '@rollcall/plugin'
import { notesFile } from './notes-file.ts'
import { NotesProvider } from './notes-provider.ts'

export default {
  register(services: LegacyServices): void {
    services.register('ToolProvider::notes', () => new NotesProvider(notesFile(process.env)))
  },
}
