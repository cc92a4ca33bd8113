/** A duration for a person: `5 s`, `1.5 s`, `50 ms`. */
export function durationText(ms: number): string {
  return ms >= 1_000 ? `${Math.round(ms / 100) / 10} s` : `${Math.round(ms)} ms`
}
