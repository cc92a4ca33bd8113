import { Type } from '@rollcall/plugin'
import { secretSchema } from './provider-schema.ts'
import { httpUrlFault } from './url-faults.ts'

const closed = { additionalProperties: false } as const
const reach = {
  allowPrivateNetwork: Type.Optional(Type.Boolean({ description: 'It lies on this machine or network.' })),
}
const address = Type.String({ concealed: true, check: httpUrlFault })

const sink = Type.Union(
  [
    Type.Object({ webhook: address, secret: Type.Optional(secretSchema), ...reach }, closed),
    Type.Object({ syslog: Type.String({ check: syslogFault }), ...reach }, closed),
    Type.Object(
      {
        otlp: address,
        headers: Type.Optional(
          Type.Record(Type.String(), Type.Union([Type.String(), secretSchema]), { concealed: true }),
        ),
        ...reach,
      },
      closed,
    ),
  ],
  { noun: 'a sink: { "webhook": address }, { "syslog": "tls://host" } or { "otlp": address }' },
)

/** What is done with the audit besides keeping it: the same in a file and in code. */
export const auditSchema = Type.Object(
  {
    keepDays: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 36_500, description: 'Calls that are over are removed after so many days.' }),
    ),
    content: Type.Optional(
      Type.Enum(['none', 'redacted', 'full'], {
        noun: 'a content',
        description: 'Whether arguments and outcomes are kept for the audit; default none.',
      }),
    ),
    sinks: Type.Optional(Type.Array(sink, { description: 'Where each call is sent when it is over.' })),
  },
  closed,
)

function syslogFault(value: unknown): string | undefined {
  const url = URL.parse(String(value))
  if (url !== null && ['udp:', 'tcp:', 'tls:'].includes(url.protocol) && url.hostname !== '') return undefined
  return 'is no address of a syslog server: write udp://host:514, tcp://host:601 or tls://host:6514'
}
