// Compiled, never run: each expected error stands where the compiler must complain.
import {
  CallFinished,
  definePlugin,
  defineTool,
  isRollcallError,
  RegisterToolProvidersEvent,
  type RollcallErrorCode,
  type ToolDefinition,
  type ToolProvider,
  type ToolResult,
  Type,
} from '@rollcall/plugin'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare function proves<T extends true>(): T | undefined

const required = { name: 'book', description: 'Books a room.', effect: 'write', dataClass: 'editorContent' } as const
const room = Type.Object({ room: Type.String(), seats: Type.Optional(Type.Integer()), tags: Type.Array(Type.String()) })

// Arguments are inferred everywhere, optional ones too.
const book = defineTool({
  ...required,
  input: room,
  approval: {
    when(args) {
      proves<Same<typeof args.room, string>>()
      return (args.seats ?? 0) > 10
    },
  },
  preview: (args) => [args.room, ...args.tags],
  execute(args, { signal, principal, progress }) {
    proves<Same<typeof args.room, string>>()
    proves<Same<typeof args.seats, number | undefined>>()
    proves<Same<typeof args.tags, string[]>>()
    proves<Same<typeof principal.admin, boolean>>()
    signal.throwIfAborted()
    progress(1, 2, 'half')
    return 'booked'
  },
})
defineTool({
  ...required,
  input: room,
  // @ts-expect-error seats may be absent
  execute: ({ seats }) => seats.toFixed(),
})
defineTool({
  ...required,
  input: room,
  // @ts-expect-error the schema has no such key
  execute: ({ floor }) => floor,
})

// The result is bound by `output`.
const free = defineTool({
  ...required,
  output: Type.Object({ free: Type.Boolean() }),
  execute: async () => ({ structured: { free: true }, content: [{ type: 'text', text: 'free' }] }),
})
defineTool({
  ...required,
  output: Type.Object({ free: Type.Boolean() }),
  // @ts-expect-error free is a boolean
  execute: () => ({ structured: { free: 'yes' } }),
})
defineTool({
  ...required,
  // @ts-expect-error a result has no such key
  execute: (): ToolResult => ({ text: 'booked' }),
})
// @ts-expect-error a number is no result
defineTool({ ...required, execute: () => 42 })

// The root of the arguments is an object, and without a schema there are none.
// @ts-expect-error an array
defineTool({ ...required, input: Type.Array(Type.String()), execute: () => 'x' })
// @ts-expect-error a union
defineTool({ ...required, input: Type.Union([room, Type.Null()]), execute: () => 'x' })
defineTool({
  ...required,
  // @ts-expect-error nothing but `never`
  execute: ({ room }) => room.toUpperCase(),
})

// Effect and data class are stated, in known words.
const { effect, dataClass, ...unclassified } = required
defineTool({ ...unclassified, effect, dataClass, execute: () => 'x' })
// @ts-expect-error no effect
defineTool({ ...unclassified, dataClass, execute: () => 'x' })
// @ts-expect-error no data class
defineTool({ ...unclassified, effect, execute: () => 'x' })
// @ts-expect-error no such effect
defineTool({ ...required, effect: 'delete', execute: () => 'x' })
// @ts-expect-error no such data class
defineTool({ ...required, dataClass: 'secret', execute: () => 'x' })
// @ts-expect-error values that only a person may supply are keys of an object
defineTool({ ...required, asksPerson: Type.String(), execute: () => 'x' })

// Tools of any arguments go into one list.
const tools: readonly ToolDefinition[] = [book, free]
// @ts-expect-error an author can't state the source
const forged: ToolProvider = { kind: 'builtin', tools, source: 'configured' }
// @ts-expect-error a legacy provider isn't announced
const unknownKind: ToolProvider = { kind: 'legacy', tools }
// @ts-expect-error a server is a command or an address, not both kinds of nothing
const noServer: ToolProvider = { kind: 'mcp', server: { args: ['-v'] } }

definePlugin({
  options: Type.Object({ key: Type.String(), retries: Type.Optional(Type.Integer()) }),
  setup({ options, on, logger }) {
    proves<Same<typeof options.key, string>>()
    proves<Same<typeof options.retries, number | undefined>>()
    const stop = on(RegisterToolProvidersEvent, async (event) => {
      event.announce({ kind: 'builtin', tools })
      event.announce({ kind: 'builtin', tools: async (signal) => (signal.aborted ? [] : tools) })
      event.announce({ kind: 'mcp', server: { url: 'https://mcp.example/', auth: { bearer: { env: 'KEY' } } } })
      // @ts-expect-error an author can't state the plugin
      event.announce({ kind: 'builtin', tools, plugin: 'somebody-else' })
      // @ts-expect-error the event is read-only
      event.plugin = 'somebody-else'
      // @ts-expect-error a secret stands in no file of ours
      event.announce({ kind: 'mcp', server: { url: 'https://mcp.example/', auth: { bearer: 'abc' } } })
    })
    on(CallFinished, (fact) => {
      proves<Same<typeof fact.durationMs, number>>()
      if (fact.status === 'ok') stop()
      // @ts-expect-error no call finishes by waiting
      if (fact.status === 'waiting') logger.warn('never')
    })
    // @ts-expect-error events are classes, not names
    on('callFinished', () => {})
    // @ts-expect-error a class that is no event
    on(Map, () => {})
  },
})
definePlugin({
  setup({ options }) {
    proves<Same<typeof options, undefined>>()
  },
})
// @ts-expect-error a plugin has a setup
definePlugin({ dispose() {} })

export function narrow(error: unknown): RollcallErrorCode | undefined {
  if (isRollcallError(error, 'APPROVAL_STALE')) {
    proves<Same<typeof error.code, 'APPROVAL_STALE'>>()
    return error.code
  }
  // @ts-expect-error no such code
  if (isRollcallError(error, 'STALE')) return undefined
  return isRollcallError(error) ? error.code : undefined
}
export { forged, noServer, unknownKind }
