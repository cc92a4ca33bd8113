import { type Json, Type } from '@rollcall/plugin'
import type { Static } from 'typebox'
import { approvalsSchema } from './approvals-schema.ts'
import { auditSchema } from './audit-schema.ts'
import { classKey, policyKeys, zoneKey, zoneModeKey } from './policy-schema.ts'
import { identifierPattern, providerSchema, secretForms, secretSchema } from './provider-schema.ts'
import { httpUrlFault, proxyUrlFault, storeUrlFault } from './url-faults.ts'

const closed = { additionalProperties: false } as const
const text = Type.String()
const durationMs = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, description }))
const amount = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }))

const pluginName = Type.String({ minLength: 1 })
const options = Type.Unsafe<Json>({ json: true })

const pluginSchema = Type.Union(
  [
    pluginName,
    Type.Tuple([pluginName, options]),
    Type.Object(
      {
        specifier: pluginName,
        options: Type.Optional(options),
        onFailure: Type.Optional(Type.Enum(['report', 'abort'], { noun: 'an onFailure' })),
      },
      closed,
    ),
  ],
  { noun: 'a plugin: "name", ["name", options] or { "specifier": "name" }' },
)

/** The keys of a profile besides its name. */
export const profileKeys = {
  zone: zoneKey("Where the consumer's model runs."),
  ceiling: Type.Optional(classKey('Raises what this profile may receive.')),
  zoneMode: zoneModeKey,
  fourEyes: Type.Optional(Type.Boolean({ description: 'Whoever asked for a call may not approve it.' })),
  allow: Type.Optional(
    Type.Array(text, { description: 'Patterns on tool names and group:<name>; "!" excludes. Absent: all.' }),
  ),
  sampling: Type.Optional(Type.Boolean({ description: 'Servers may use the model of its consumer; default false.' })),
  elicitation: Type.Optional(Type.Boolean({ description: 'Servers may ask its person; default true.' })),
  roots: Type.Optional(Type.Boolean({ description: 'Servers may learn its folders; default true.' })),
  resultBytes: amount('Bytes of text of one result that a model gets at once; default 50,000.'),
  serve: Type.Optional(Type.Boolean({ description: 'Served to MCP clients under /mcp/<name>.' })),
  approvals: Type.Optional(approvalsSchema),
}

const legacyMode = Type.Enum(['on', 'warn', 'error', 'off'], { noun: 'a mode of the legacy scan' })

/** Both ways to write `legacyScan`. Anything that is no number stands for the default time to live. */
const legacyScanSchema = Type.Union([
  legacyMode,
  Type.Object(
    {
      mode: legacyMode,
      cacheTtlSeconds: Type.Optional(Type.Unknown({ description: '10 to 600; anything else is clamped.' })),
    },
    closed,
  ),
])

const storeUrl = Type.String({ concealed: true, check: storeUrlFault })

/** How the network is reached: both in a file and in code. */
const outboundSchema = Type.Object(
  {
    proxy: Type.Optional(
      Type.String({ concealed: true, check: proxyUrlFault, description: 'HTTP proxy; the environment names none.' }),
    ),
    noProxy: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), { description: 'Hosts that are reached without the proxy.' }),
    ),
  },
  closed,
)

const identifiers = { pattern: identifierPattern }

/** The configuration file: the one place where its keys, types and bounds stand. */
export const configSchema = Type.Object(
  {
    $schema: Type.Optional(text),
    plugins: Type.Optional(Type.Array(pluginSchema, { description: 'Package names and folders, in order.' })),
    pluginsFrom: Type.Optional(
      Type.Enum(['dependencies'], { description: 'Also the direct dependencies that carry the keyword.' }),
    ),
    providers: Type.Optional(
      Type.Record(Type.String(identifiers), providerSchema, {
        keyNoun: 'an appId',
        description: "Servers, and the operator's words about any provider, by appId.",
      }),
    ),
    profiles: Type.Optional(
      Type.Record(Type.String(identifiers), Type.Object(profileKeys, closed), {
        keyNoun: 'a profile name',
        description: 'The rules that consumers run under, by name.',
      }),
    ),
    audit: Type.Optional(auditSchema),
    guardrails: Type.Optional(
      Type.Object(
        {
          use: Type.Optional(
            Type.Array(Type.String({ minLength: 1 }), { description: 'Those that run: "<plugin>/<id>", pii, …' }),
          ),
          mandatory: Type.Optional(
            Type.Array(Type.String({ minLength: 1 }), { description: 'Run too, and deny what they can not judge.' }),
          ),
        },
        closed,
      ),
    ),
    mcp: Type.Optional(
      Type.Object(
        {
          allowedCommands: Type.Optional(
            Type.Array(Type.Array(text, { minItems: 1 }), {
              description: 'Beginnings of command lines that announced servers may start.',
            }),
          ),
          lockFile: Type.Optional(Type.String({ minLength: 1, description: 'Default: rollcall.lock.json.' })),
          pin: Type.Optional(Type.Enum(['first-use', 'manual'], { noun: 'a pin' })),
          onDrift: Type.Optional(
            Type.Enum(['hold', 'refuse', 'accept'], {
              noun: 'an onDrift',
              description:
                'What becomes of a tool that its server describes otherwise than was accepted; default hold.',
            }),
          ),
          limits: Type.Optional(
            Type.Object(
              {
                connectTimeoutMs: durationMs('Spawn, handshake and first list; default 30,000.'),
                callTimeoutMs: durationMs('One call; default 60,000.'),
                maxTotalTimeoutMs: durationMs('One call that reports progress; default 300,000.'),
                resultBytes: amount('One result; default 10 MB.'),
                tools: amount('Tools of one server; default 500.'),
                pages: amount('Pages of one list; default 50.'),
                listBytes: amount('One list; default 2 MB.'),
              },
              closed,
            ),
          ),
        },
        closed,
      ),
    ),
    ...policyKeys,
    outbound: Type.Optional(outboundSchema),
    legacyScan: Type.Optional(legacyScanSchema),
    pluginTimeoutMs: durationMs('What a setup or a listener may take; default 5,000.'),
    http: Type.Optional(
      Type.Object(
        {
          host: Type.Optional(Type.String({ minLength: 1 })),
          port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
          keyless: Type.Optional(Type.Array(text, { description: 'Profiles served on loopback without a key.' })),
          publicUrl: Type.Optional(Type.String({ concealed: true, check: httpUrlFault })),
        },
        closed,
      ),
    ),
    store: Type.Optional(
      Type.Union([
        storeUrl,
        Type.Object(
          {
            url: Type.Optional(storeUrl),
            key: Type.Optional(
              Type.Union([Type.Enum(['file'], { noun: 'a key' }), secretSchema], {
                noun: `a key: "file", or ${secretForms}`,
                description: 'Seals what is kept of calls. "file": made in the state folder, as store.key.',
              }),
            ),
            formerKeys: Type.Optional(
              Type.Array(secretSchema, { description: 'Keys from before, until "rollcall db rotate-key" is done.' }),
            ),
            durability: Type.Optional(Type.Enum(['normal', 'full'], { noun: 'a durability' })),
          },
          closed,
        ),
      ]),
    ),
    secrets: Type.Optional(
      Type.Object(
        {
          allow: Type.Optional(Type.Array(text, { description: 'Names that announced servers may read.' })),
        },
        closed,
      ),
    ),
  },
  closed,
)

/** A checked configuration. */
export type Config = Static<typeof configSchema>
