import {
  definePlugin,
  type Guardrail,
  RegisterGuardrailsEvent,
  RegisterToolProvidersEvent,
  type ToolDefinition,
} from '@rollcall/plugin'
import type { GuardrailWords } from '../../src/guardrails/choose-guardrails.ts'
import type { HostOptions } from '../../src/host-options.ts'
import { hostWith } from '../invoke/host-with.ts'

/** Made up, and put together here so that no scanner takes this file for a leak. */
export const token = `ghp_${'a1B2'.repeat(9)}`

/** A host with the tools under `app` and the guardrails under `guards`, all of them in use. */
export function guardedHost(
  tools: readonly ToolDefinition[],
  guardrails: readonly Guardrail[] = [],
  words: GuardrailWords = { use: guardrails.map(({ id }) => `guards/${id}`) },
  options: HostOptions = {},
) {
  const app = definePlugin({
    setup: ({ on }) =>
      void on(RegisterToolProvidersEvent, (event) => event.announce({ kind: 'builtin', tools: [...tools] })),
  })
  const guards = definePlugin({
    setup({ on }) {
      on(RegisterGuardrailsEvent, (event) => {
        for (const guardrail of guardrails) event.announce(guardrail)
      })
    },
  })
  const plugins = [
    { appId: 'app', plugin: app },
    { appId: 'guards', plugin: guards },
  ]
  return hostWith([], { plugins, guardrails: words, ...options })
}
