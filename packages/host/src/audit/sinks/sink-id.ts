import { createHash } from 'node:crypto'
import type { SinkOptions } from '../audit-options.ts'

/** Tells sinks apart by kind and address; shows nothing of the address, in which a token may be. */
export function sinkIdOf(options: SinkOptions): string {
  const [kind, address] =
    'webhook' in options
      ? ['webhook', options.webhook]
      : 'syslog' in options
        ? ['syslog', options.syslog]
        : ['otlp', options.otlp]
  return `${kind}-${createHash('sha256').update(address).digest('hex').slice(0, 8)}`
}
