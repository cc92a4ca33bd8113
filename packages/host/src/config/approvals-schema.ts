import { Type } from '@rollcall/plugin'
import { secretSchema } from './provider-schema.ts'
import { httpUrlFault } from './url-faults.ts'

const closed = { additionalProperties: false } as const
const names = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1, description }))
const durationMs = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, description }))

/** How the calls of a profile come before a person. */
export const approvalsSchema = Type.Object(
  {
    waitMs: Type.Optional(Type.Integer({ minimum: 0, description: 'How long an MCP call waits for a person.' })),
    expiresMs: Type.Optional(Type.Integer({ minimum: 1, description: 'After this a pending call is denied.' })),
    channels: Type.Optional(
      Type.Array(Type.Enum(['console', 'cli', 'elicitation'], { noun: 'a channel' }), {
        minItems: 1,
        description: 'Where a yes may come from; default console and cli.',
      }),
    ),
    clients: names('MCP clients, by the name they give, that may put a call before their person.'),
    by: names('Who may say yes: persons, or ids of principals. Default: whoever may approve.'),
    escalateAfterMs: durationMs('From then on whoever may approve may say yes, and is told again.'),
    notify: Type.Optional(
      Type.Object(
        {
          webhook: Type.String({ concealed: true, check: httpUrlFault, description: 'Is sent the card of each call.' }),
          secret: Type.Optional(secretSchema),
          allowPrivateNetwork: Type.Optional(Type.Boolean({ description: 'It lies on this machine or network.' })),
        },
        closed,
      ),
    ),
  },
  { ...closed, check: approvalsFault },
)

function approvalsFault(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { channels, clients } = value as { readonly channels?: unknown; readonly clients?: unknown }
  const elicits = Array.isArray(channels) && channels.includes('elicitation')
  if (elicits && clients === undefined) return 'has the channel "elicitation", and no "clients" that may be asked'
  if (!elicits && clients !== undefined) return 'has "clients", and not "elicitation" among its "channels"'
  return undefined
}
