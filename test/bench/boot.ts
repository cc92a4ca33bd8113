import type { createHost as CreateHost, PluginEntry } from '@rollcall/host'
import { definePlugin, defineTool, RegisterToolProvidersEvent } from '@rollcall/plugin'
import type { BuiltProject } from './built-project.ts'
import { type Figure, median, ms } from './figure.ts'

const runs = 7
const limitMs = 100

/** Boot of a host with many plugins, one of which hangs until its limit of 100 ms; beside it, the same without it. */
export async function measureBoot(project: BuiltProject): Promise<readonly Figure[]> {
  const { createHost }: { createHost: typeof CreateHost } = await import(project.url('@rollcall/host'))
  const boot = async (plugins: readonly PluginEntry[]) => {
    const began = performance.now()
    const host = await createHost({ plugins, pluginTimeoutMs: limitMs })
    const took = performance.now() - began
    await host[Symbol.asyncDispose]()
    return took
  }
  const figures: Figure[] = []
  await boot(pluginsOf(50))
  for (const count of [10, 100, 500]) {
    const sound: number[] = []
    const hanging: number[] = []
    for (let run = 0; run < runs; run++) {
      sound.push(await boot(pluginsOf(count)))
      hanging.push(await boot([{ appId: 'hanging', plugin: hangingPlugin }, ...pluginsOf(count - 1)]))
    }
    figures.push({
      name: `boot, ${count} plugins with ten tools each, one hanging (limit ${limitMs} ms)`,
      median: ms(median(hanging)),
      beside: `${ms(median(sound))} when none hangs; ${ms(median(hanging) - limitMs)} more than the limit`,
      runs,
    })
  }
  return figures
}

const hangingPlugin = definePlugin({
  setup: ({ on }) => void on(RegisterToolProvidersEvent, () => new Promise<void>(() => {})),
})

function pluginsOf(count: number): readonly PluginEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    appId: `p${index}`,
    plugin: definePlugin({
      setup({ on }) {
        const tools = Array.from({ length: 10 }, (_tool, number) =>
          defineTool({
            name: `tool${number}`,
            description: `Tool ${number}.`,
            effect: 'read',
            dataClass: 'publicContent',
            execute: () => 'x',
          }),
        )
        on(RegisterToolProvidersEvent, (event) => event.announce({ kind: 'builtin', tools }))
      },
    }),
  }))
}
