import { Writable } from 'node:stream'

/** Standard output, kept for results. */
export interface StandardOutput {
  readonly write: (text: string) => void
  /** For a protocol that owns standard output. */
  readonly stream: Writable
  /** Resolves when everything written has left. */
  flush(): Promise<void>
}

/**
 * Takes standard output for results and the protocol alone: whatever else is written to it (a plugin's
 * `console.log`) goes to standard error, where it breaks no reader.
 */
export function takeStandardOutput(): StandardOutput {
  const write = process.stdout.write.bind(process.stdout) as (
    chunk: string | Uint8Array,
    written?: (error?: Error | null) => void,
  ) => boolean
  process.stdout.write = process.stderr.write.bind(process.stderr)
  // A reader that has seen enough (`| head`) is no fault.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
  })
  // A terminal that was closed takes nothing any more; what runs ends by its signal.
  process.stderr.on('error', () => {})
  return {
    write: (text) => void write(text),
    stream: new Writable({
      write: (chunk: Uint8Array, _encoding, written) => void write(chunk, written),
    }),
    flush: () => new Promise((resolve) => write('', () => resolve())),
  }
}
