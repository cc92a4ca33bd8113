import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineTool, RollcallError, Type } from '@rollcall/plugin'

/** What is installed in a folder, as its package.json asks for it. */
export function packagesIn(folder: string) {
  return defineTool({
    name: 'packages',
    title: 'Installed packages',
    description:
      'The package of the configured folder and its direct dependencies: what it asks for, what is installed.',
    effect: 'read',
    dataClass: 'internalConfiguration',
    output: Type.Object({
      name: Type.String(),
      version: Type.String(),
      dependencies: Type.Array(
        Type.Object({
          name: Type.String(),
          asksFor: Type.String(),
          installed: Type.Union([Type.String(), Type.Null()]),
          development: Type.Boolean(),
        }),
      ),
    }),
    async execute() {
      const manifest = await readManifest(folder)
      if (manifest === undefined) throw noPackage(folder)
      const wanted = [
        ...wishes(manifest.dependencies, false),
        ...wishes(manifest.optionalDependencies, false),
        ...wishes(manifest.devDependencies, true),
      ]
      const dependencies = await Promise.all(
        wanted.map(async (wish) => ({ ...wish, installed: await installedVersion(folder, wish.name) })),
      )
      const { name, version } = manifest
      return { structured: { name: textOr(name, '(no name)'), version: textOr(version, '(no version)'), dependencies } }
    },
  })
}

interface Manifest {
  readonly [key: string]: unknown
}

async function readManifest(folder: string): Promise<Manifest | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    return isObject(manifest) ? manifest : undefined
  } catch {
    return undefined
  }
}

function wishes(dependencies: unknown, development: boolean) {
  if (!isObject(dependencies)) return []
  return Object.entries(dependencies).map(([name, range]) => ({ name, asksFor: textOr(range, '?'), development }))
}

async function installedVersion(folder: string, name: string): Promise<string | null> {
  // The name becomes part of a path: what npm would not accept must not be looked up.
  if (!/^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/.test(name)) return null
  const manifest = await readManifest(join(folder, 'node_modules', name))
  return typeof manifest?.version === 'string' ? manifest.version : null
}

function noPackage(folder: string): RollcallError {
  return new RollcallError('TOOL_FAILED', `${folder} has no readable package.json.`, {
    hint: 'Set the option "folder" of @rollcall/plugin-system to the folder of a package.',
  })
}

function isObject(value: unknown): value is Manifest {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}
