import { RollcallError } from '@rollcall/plugin'
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { appIdRule, parseAppId } from './app-id.ts'
import { readPackageJson } from './read-package-json.ts'
import { schemaFaults } from './schema-faults.ts'

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
  if (!Check(schema, packageJson)) throw invalid(folder, schemaFaults(schema, packageJson, 'package.json'))

  const { name, version = '0.0.0', keywords = [], exports, main, rollcall } = packageJson
  const { appId, api, entry, toolProvider } = rollcall
  const declared = typeof appId === 'string' ? [appId] : appId
  const faults = declared.filter((text) => parseAppId(text) === undefined).map(appIdFault)
  if (faults.length > 0) throw invalid(folder, faults)

  return {
    name,
    version,
    appIds: [...new Set(declared.flatMap((text) => parseAppId(text) ?? []))],
    keywords,
    hasExports: exports !== undefined && exports !== null,
    ...(main !== undefined && { main }),
    ...(api !== undefined && { api }),
    ...(entry !== undefined && { entry }),
    ...(toolProvider !== undefined && { toolProvider }),
  }
}

const Text = Type.String({ minLength: 1, maxLength: 1_024 })

const schema = Type.Object({
  name: Type.String({ pattern: '^(?:@[A-Za-z0-9~._-]+/)?[A-Za-z0-9~._-]+$', maxLength: 214 }),
  version: Type.Optional(Type.String({ pattern: '^[0-9A-Za-z.+-]+$', maxLength: 100 })),
  keywords: Type.Optional(Type.Array(Type.String())),
  exports: Type.Optional(Type.Unknown()),
  main: Type.Optional(Type.String()),
  rollcall: Type.Object(
    {
      appId: Type.Union([Text, Type.Array(Text, { minItems: 1 })]),
      api: Type.Optional(Text),
      entry: Type.Optional(Text),
      toolProvider: Type.Optional(Text),
    },
    { additionalProperties: false },
  ),
})

function appIdFault(appId: string): string {
  return `package.json.rollcall.appId "${appId}" is no appId: ${appIdRule}`
}

function invalid(folder: string, faults: readonly string[]): RollcallError {
  return new RollcallError('PLUGIN_INVALID', `The manifest of ${folder} is broken: ${faults.join('; ')}.`, {
    hint: 'Correct package.json: "rollcall": { "appId": "my-app", "api": "^1.0", "entry": "./src/plugin.ts" }; only appId is required.',
  })
}
