import packageJson from '../package.json' with { type: 'json' }

/** The version of this host. */
export const version: string = packageJson.version

/** The version of the plugin API that this host speaks; the `api` range of a manifest must include it. */
export const hostApi = '1.0.0'
