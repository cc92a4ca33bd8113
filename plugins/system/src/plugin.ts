import { definePlugin, RegisterToolProvidersEvent, Type } from '@rollcall/plugin'
import { environment, environmentRaw } from './environment.ts'
import { packagesIn } from './packages.ts'
import { status } from './status.ts'

export default definePlugin({
  options: Type.Object({ folder: Type.Optional(Type.String({ minLength: 1 })) }, { additionalProperties: false }),

  setup({ on, options }) {
    const packages = packagesIn(options.folder ?? process.cwd())

    on(RegisterToolProvidersEvent, (event) =>
      event.announce({ kind: 'builtin', tools: [status, environment, environmentRaw, packages] }),
    )
  },
})
