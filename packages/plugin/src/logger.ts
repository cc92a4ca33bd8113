/** Where a library says what happened. A pino logger wrapped in one line satisfies it; the default says nothing. */
export interface Logger {
  debug(message: string, fields?: object): void
  info(message: string, fields?: object): void
  warn(message: string, fields?: object): void
  error(message: string, fields?: object): void
}

/** The default: libraries never write to the console. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }
