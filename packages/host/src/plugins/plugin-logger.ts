import type { Logger } from '@rollcall/plugin'

/** The logger that a plugin gets: each line names the plugin, whatever its fields say. */
export function pluginLogger(logger: Logger, plugin: string): Logger {
  return {
    debug: (message, fields) => logger.debug(message, { ...fields, plugin }),
    info: (message, fields) => logger.info(message, { ...fields, plugin }),
    warn: (message, fields) => logger.warn(message, { ...fields, plugin }),
    error: (message, fields) => logger.error(message, { ...fields, plugin }),
  }
}
