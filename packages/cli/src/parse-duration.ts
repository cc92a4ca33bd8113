import { RollcallError } from '@rollcall/plugin'

const unitsMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/**
 * Milliseconds of a time like `90s`, `30m`, `8h` or `30d`.
 *
 * @param option by what it was given, for the message
 * @throws {RollcallError} `CONFIG_INVALID` for anything else.
 */
export function parseDuration(text: string, option: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const ms = Number(amount) * (unitsMs[unit as keyof typeof unitsMs] ?? Number.NaN)
  if (ms > 0) return ms
  throw new RollcallError('CONFIG_INVALID', `${option} is no time: ${JSON.stringify(text.slice(0, 40))}.`, {
    hint: 'Write a whole number and its unit: 90s, 30m, 8h or 30d.',
  })
}
