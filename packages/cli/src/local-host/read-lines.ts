import type { Readable } from 'node:stream'

/** Calls back with every line of a stream, without its end. Only a line feed ends a line: JSON may hold all others. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') onLine(line)
  })
}
