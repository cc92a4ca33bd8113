import type { Json, Plugin } from '@rollcall/plugin'
import type { ToolView } from '../catalogue/catalogue.ts'
import { createHost } from '../create-host.ts'
import { localUser } from '../gate/local-user.ts'
import type { Host } from '../host-types.ts'
import type { ToolOutcome } from '../invoke/outcome.ts'

export interface TestPluginOptions {
  readonly appId: string | readonly string[]
  /** As the configuration would give them. */
  readonly options?: Json
  /** Lets its `fetch` reach loopback and private addresses, such as a server of the test. */
  readonly allowPrivateNetwork?: boolean
}

/** A real host with one plugin, for that plugin's own tests. */
export interface TestedPlugin extends AsyncDisposable {
  readonly host: Host
  /** Public names of the plugin's tools, in the order of the catalogue. */
  readonly tools: readonly string[]
  /**
   * Calls a tool, by its public or its own name, as the local user. Switches it on where it starts off. A call that
   * asks for a person is approved with `approve`; without, its outcome is `waiting`. Never rejects.
   */
  call(tool: string, args: Json, options?: { readonly approve?: boolean }): Promise<ToolOutcome>
}

/**
 * Boots a host with the plugin, its store in memory.
 *
 * @example
 * await using tested = await testPlugin(weather, { appId: 'weather' })
 * const outcome = await tested.call('forecast', { city: 'Oslo' })
 * assert.equal(outcome.text, 'Sunny in Oslo')
 * @throws {RollcallError} the code of what kept the plugin from answering the roll call.
 */
export async function testPlugin(plugin: Plugin, tested: TestPluginOptions): Promise<TestedPlugin> {
  const { appId, options, allowPrivateNetwork } = tested
  const appIds = typeof appId === 'string' ? [appId] : appId
  const host = await createHost({
    plugins: [{ appId, plugin, onFailure: 'abort', ...(options !== undefined && { options }) }],
    ...(allowPrivateNetwork === true && {
      providers: Object.fromEntries(appIds.map((id) => [id, { allowPrivateNetwork }])),
    }),
  })
  const views = () => host.tools.all().filter((view) => appIds.includes(view.appId))

  return {
    host,
    get tools() {
      return views().map(({ name }) => name)
    },

    async call(tool, args, { approve = false } = {}) {
      const view = views().find(({ name, original }) => name === tool || original === tool)
      if (view?.holds.some(isSwitchedOff)) await host.switches.enable({ kind: 'tool', name: view.name }, localUser.id)
      const outcome = await host.tools.call(view?.name ?? tool, args, { principal: localUser })
      return approve && outcome.status === 'waiting' ? approveCall(host, outcome) : outcome
    },

    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}

function isSwitchedOff({ by }: ToolView['holds'][number]): boolean {
  return by === 'default' || by === 'switch'
}

async function approveCall(host: Host, outcome: ToolOutcome & { readonly status: 'waiting' }): Promise<ToolOutcome> {
  const { pending } = outcome
  if (pending.kind !== 'approval') return outcome
  const answer = { kind: 'approval', approved: true, binds: pending.binds } as const
  const answered = await host.tools.answer(pending, answer, localUser)
  return answered.ok ? host.tools.resume(pending, { principal: localUser }) : outcome
}
