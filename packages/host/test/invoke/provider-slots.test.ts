import { isRollcallError } from '@rollcall/plugin'
import { expect, it } from 'vitest'
import { createProviderSlots } from '../../src/invoke/provider-slots.ts'

const never = new AbortController().signal

it('lets eight calls run at a provider, and the ninth when one ends', async () => {
  const slots = createProviderSlots()
  const taken = await Promise.all(Array.from({ length: 8 }, () => slots.take('a', 'p', never)))
  const order: string[] = []
  const ninth = slots.take('a', 'p', never).then(() => order.push('ninth'))
  await slots.take('b', 'p', never).then(() => order.push('another provider'))
  expect(order).toEqual(['another provider'])
  taken[0]?.()
  await ninth
  expect(order).toEqual(['another provider', 'ninth'])
})

it('R-GOV-08 a principal holds at most half of the places while others wait', async () => {
  const slots = createProviderSlots()
  const noisy = await Promise.all(Array.from({ length: 8 }, () => slots.take('a', 'noisy', never)))
  const granted: string[] = []
  const waits = [
    ...Array.from({ length: 20 }, () => slots.take('a', 'noisy', never).then(() => granted.push('noisy'))),
    ...Array.from({ length: 4 }, () => slots.take('a', 'quiet', never).then(() => granted.push('quiet'))),
  ]
  for (const release of noisy.slice(0, 4)) release()
  await Promise.all(waits.slice(20))
  expect(granted).toEqual(['quiet', 'quiet', 'quiet', 'quiet'])
})

it('refuses the call that finds 64 others waiting', async () => {
  const slots = createProviderSlots()
  await Promise.all(Array.from({ length: 8 }, () => slots.take('a', 'p', never)))
  for (let index = 0; index < 64; index++) void slots.take('a', 'p', never)
  const refused = await slots.take('a', 'p', never).catch((error: unknown) => error)
  expect(isRollcallError(refused, 'BUSY')).toBe(true)
})

const neverAborts = new AbortController().signal

it('R-SEC-21 a principal that fills the line leaves a place in it to another one', async () => {
  const slots = createProviderSlots()
  const noisy = Array.from({ length: 72 }, () =>
    slots.take('a', 'noisy', neverAborts).then(
      () => 'in',
      (error) => error.code,
    ),
  )
  const quiet = slots.take('a', 'quiet', neverAborts)
  expect(await Promise.race([noisy[71], quiet])).toBe('BUSY')
  const [first] = await Promise.all(noisy.slice(0, 1))
  expect(first).toBe('in')
  await expect(slots.take('a', 'noisy', neverAborts)).rejects.toMatchObject({ code: 'BUSY' })
})

it('a caller that leaves the queue makes room and takes no place', async () => {
  const slots = createProviderSlots()
  const taken = await Promise.all(Array.from({ length: 8 }, () => slots.take('a', 'p', never)))
  const leaving = new AbortController()
  const left = slots.take('a', 'p', leaving.signal).catch((reason: unknown) => reason)
  leaving.abort('gone')
  expect(await left).toBe('gone')
  const next = slots.take('a', 'p', never)
  taken[0]?.()
  await next
})

it('tells when nothing runs any more, and giving back twice counts once', async () => {
  const slots = createProviderSlots()
  const release = await slots.take('a', 'p', never)
  let idle = false
  const waited = slots.idle('a').then(() => {
    idle = true
  })
  expect(idle).toBe(false)
  release()
  release()
  await waited
  await slots.idle('a')
  expect(idle).toBe(true)
})
