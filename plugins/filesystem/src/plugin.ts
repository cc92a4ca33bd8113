import { resolve } from 'node:path'
import { definePlugin, RegisterToolProvidersEvent, Type } from '@rollcall/plugin'
import { prepareFolder } from './prepare-folder.ts'
import { serverEntry } from './server-entry.ts'

export default definePlugin({
  options: Type.Object({ folder: Type.String({ minLength: 1 }) }, { additionalProperties: false }),

  async setup({ on, options }) {
    const folder = resolve(options.folder)
    await prepareFolder(folder)
    const args = [serverEntry(), folder]

    on(RegisterToolProvidersEvent, (event) =>
      event.announce({ kind: 'mcp', server: { command: 'node', args }, suggests: { preset: 'workspace' } }),
    )
  },
})
