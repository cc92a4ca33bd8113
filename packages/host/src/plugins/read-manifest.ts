import { RollcallError, Type } from '@rollcall/plugin'
import valid from 'semver/functions/valid.js'
import type { Static } from 'typebox'
import { quoted } from '../config/fault.ts'
import { schemaFaults } from '../config/schema-faults.ts'
import { appIdRule, parseAppId } from './app-id.ts'
import { readPackageJson } from './read-package-json.ts'

/** What `package.json` says of a plugin. */
export interface Manifest {
  readonly name: string
  readonly version: string
  /** Lower case, without repetitions; at least one. */
  readonly appIds: readonly string[]
  /** The semver range of plugin APIs that the plugin works with. */
  readonly api?: string
  /** Relative to the package; default: the package's main export. */
  readonly entry?: string
  /** Legacy: a module that holds the provider. */
  readonly toolProvider?: string
  readonly keywords: readonly string[]
  /** Whether the package has an `exports` map, which then decides what its main export is. */
  readonly hasExports: boolean
  /** The package's `main`; counts without an `exports` map. */
  readonly main?: string
}

/**
 * Reads the manifest of a package folder; `undefined` when its package.json has no `rollcall` key.
 *
 * @throws {RollcallError} `PLUGIN_INVALID` with everything that is wrong with it.
 */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const packageJson = await readPackageJson(folder)
  if (packageJson === undefined)
    throw new RollcallError('PLUGIN_INVALID', `${folder} has no package.json.`, {
      hint: 'Name the folder of a package: one whose package.json has a "rollcall" key.',
    })
  if (packageJson.rollcall === undefined) return undefined
  const { name, version = '0.0.0', keywords = [], main, rollcall } = checked(folder, packageJson)
  const { appId, api, entry, toolProvider } = rollcall

  return {
    name,
    version,
    appIds: [...new Set([appId].flat().flatMap((text) => parseAppId(text) ?? []))],
    keywords,
    hasExports: packageJson.exports !== undefined && packageJson.exports !== null,
    ...(main !== undefined && { main }),
    ...(api !== undefined && { api }),
    ...(entry !== undefined && { entry }),
    ...(toolProvider !== undefined && { toolProvider }),
  }
}

/** Other keys of package.json are other tools' business. */
function checked(folder: string, packageJson: Readonly<Record<string, unknown>>): Static<typeof schema> {
  const ours = Object.fromEntries(Object.entries(packageJson).filter(([key]) => key in schema.properties))
  const faults = schemaFaults(schema, ours)
  if (faults.length === 0) return ours as Static<typeof schema>
  const lines = faults.map(({ path, message }) => `${path || 'package.json'} ${message}`)
  throw new RollcallError('PLUGIN_INVALID', `The manifest of ${folder} is broken: ${lines.join('; ')}.`, {
    hint: 'Correct package.json: "rollcall": { "appId": "my-app", "api": "^1.0", "entry": "./src/plugin.ts" }; only appId is required.',
  })
}

const closed = { additionalProperties: false } as const
const text = Type.String({ minLength: 1 })
const appIdText = Type.String({ check: appIdFault })

const schema = Type.Object(
  {
    name: Type.String({ check: nameFault }),
    version: Type.Optional(Type.String({ check: versionFault })),
    keywords: Type.Optional(Type.Array(Type.String())),
    main: Type.Optional(text),
    rollcall: Type.Object(
      {
        appId: Type.Union([appIdText, Type.Array(appIdText, { minItems: 1 })], { noun: 'an appId or a list of them' }),
        api: Type.Optional(text),
        entry: Type.Optional(text),
        toolProvider: Type.Optional(text),
      },
      closed,
    ),
  },
  closed,
)

function appIdFault(value: unknown): string | undefined {
  return parseAppId(value) === undefined ? `${quoted(String(value))} is no appId: ${appIdRule}` : undefined
}

function nameFault(value: unknown): string | undefined {
  const isName = /^(?:@[A-Za-z0-9~._-]+\/)?[A-Za-z0-9~._-]+$/.test(String(value)) && String(value).length <= 214
  return isName ? undefined : `${quoted(String(value))} is no package name`
}

function versionFault(value: unknown): string | undefined {
  return valid(String(value)) === null ? `${quoted(String(value))} is no semver version` : undefined
}
