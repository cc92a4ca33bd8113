import { effects, Type } from '@rollcall/plugin'
import { classKey, zoneKey } from './policy-schema.ts'
import { presets } from './presets.ts'
import { httpUrlFault, serverFault } from './url-faults.ts'

const presetNames = Object.keys(presets)

/** What the value of an identifier must look like: an appId, or the name of a profile. */
export const identifierPattern = '^[a-z][a-z0-9-]{0,31}$'

const closed = { additionalProperties: false } as const
const text = Type.String()
export const secretForms = '{ "env": "NAME" }, { "file": "path" }, { "store": "name" } or { "command": [...] }'

/** A reference to a secret; never the secret. */
export const secretSchema = Type.Union(
  [
    Type.Object({ env: text }, closed),
    Type.Object({ file: text }, closed),
    Type.Object({ store: text }, closed),
    Type.Object({ command: Type.Array(text, { minItems: 1 }) }, closed),
  ],
  { noun: `a secret: ${secretForms}` },
)

const secretOrText = Type.Union([text, secretSchema])

/** How a server that runs as a child process is started. */
export const commandKeys = {
  command: Type.String({ minLength: 1, description: 'The program that is the server; no shell.' }),
  args: Type.Optional(Type.Array(text, { concealed: true })),
  cwd: Type.Optional(Type.String({ description: 'Working folder, relative to this file.' })),
  env: Type.Optional(Type.Record(text, secretOrText, { concealed: true, description: 'Variables of the process.' })),
}

/** How a server that is reached over the network is addressed. */
export const urlKeys = {
  url: Type.String({ concealed: true, check: httpUrlFault, description: 'http or https; no user name in it.' }),
  transport: Type.Optional(
    Type.Enum(['http', 'sse'], {
      noun: 'a transport',
      description: 'Default http: streamable HTTP, or SSE where it is refused.',
    }),
  ),
  auth: Type.Optional(Type.Object({ bearer: secretSchema }, { ...closed, concealed: true })),
  headers: Type.Optional(Type.Record(text, secretOrText, { concealed: true })),
}

const durationMs = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, description }))

/** How a declared server is treated once it runs. */
export const keepingKeys = {
  protocol: Type.Optional(
    Type.Enum(['auto', 'session', 'stateless'], {
      noun: 'a protocol',
      description: 'Which revisions it speaks; default auto: asked once and pinned.',
    }),
  ),
  keepAlive: Type.Optional(Type.Boolean({ description: 'Started with the host, never stopped for being idle.' })),
  idleMs: durationMs('Unused for this long, it is stopped; default 300,000.'),
  connectTimeoutMs: durationMs('Spawn, handshake and first list; default 30,000.'),
  callTimeoutMs: durationMs('One call; default 60,000.'),
}

const toolKeys = {
  dataClass: Type.Optional(classKey('What kind of data its tools return.')),
  effect: Type.Optional(Type.Enum(effects, { noun: 'an effect', description: 'What a call may do.' })),
  approval: Type.Optional(
    Type.Enum(['always', 'writes', 'notNeeded'], { noun: 'an approval', description: 'When a person is asked.' }),
  ),
  adminOnly: Type.Optional(Type.Boolean()),
  off: Type.Optional(Type.Boolean({ description: 'Starts switched off.' })),
}

/** What the operator says about a provider, and when its definitions are pinned. */
export const operatorKeys = {
  preset: Type.Optional(Type.Enum(presetNames, { noun: 'a preset', description: 'One word for the keys below.' })),
  ...toolKeys,
  isolation: Type.Optional(Type.Enum(['shared', 'principal', 'session'], { noun: 'an isolation' })),
  zone: Type.Optional(zoneKey('Where its data goes.')),
  allowPrivateNetwork: Type.Optional(
    Type.Boolean({ description: 'It may reach private addresses, though somebody else declared it.' }),
  ),
  tools: Type.Optional(
    Type.Record(text, Type.Object(toolKeys, closed), { description: 'The same words for one tool, by original name.' }),
  ),
  pin: Type.Optional(
    Type.Enum(['first-use', 'manual'], { noun: 'a pin', description: 'When its definitions are accepted.' }),
  ),
}

/** One entry of `providers` in a file: declares a server, carries the operator's words, or both. */
export const providerSchema = Type.Object(
  {
    ...operatorKeys,
    ...commandKeys,
    command: Type.Optional(commandKeys.command),
    ...keepingKeys,
    ...urlKeys,
    url: Type.Optional(urlKeys.url),
  },
  { ...closed, check: serverFault },
)
