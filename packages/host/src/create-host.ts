import { legacyRoom } from './discovery/legacy/index.ts'
import { assembleHost } from './host.ts'
import type { HostOptions } from './host-options.ts'
import type { Host } from './host-types.ts'

/**
 * Boots a host: sets plugins up, calls the roll and builds the catalogue. A plugin or server that fails costs its own
 * tools only and stands in the report.
 *
 * This is the only place that names the legacy folder: without these lines the host builds and runs.
 *
 * @example
 * await using host = await createHost({ plugins: [{ appId: 'weather', plugin: weather }] })
 * const outcome = await host.tools.call('weather__forecast', { city: 'Oslo' }, { principal: localUser })
 * @throws {RollcallError} `CONFIG_INVALID` before anything has started; the code of a plugin marked `onFailure: 'abort'`,
 * or `STORE_UNAVAILABLE`, after all that had started is closed again.
 */
export function createHost(options: HostOptions = {}): Promise<Host> {
  return assembleHost(options, { legacy: legacyRoom })
}
