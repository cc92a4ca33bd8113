import { expect } from 'vitest'

/** Waits until something holds, at most 5 s. */
export async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { timeout: 5000, interval: 5 }).toBe(true)
}
