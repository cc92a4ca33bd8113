import { expect, it } from 'vitest'
import { createWorkQueue } from '../../src/isolation/create-work-queue.ts'

it('runs one piece of work after another, also after one that failed', async () => {
  const queue = createWorkQueue()
  const log: string[] = []
  const slow = queue.run(async () => {
    await Promise.resolve()
    log.push('first')
    throw new TypeError('broken')
  })
  const next = queue.run(async () => void log.push('second'))
  await expect(slow).rejects.toThrow('broken')
  await next
  expect(log).toEqual(['first', 'second'])
})

it('hands over what was collected meanwhile in one piece', async () => {
  const queue = createWorkQueue()
  const seen: number[][] = []
  const { promise, resolve: free } = Promise.withResolvers<void>()
  const busy = queue.run(() => promise)
  const work = async (items: ReadonlySet<number>) => void seen.push([...items])
  void queue.coalesce(1, work)
  void queue.coalesce(2, work)
  void queue.coalesce(2, work)
  free()
  await busy
  await queue.idle()
  void queue.coalesce(3, work)
  await queue.idle()
  expect(seen).toEqual([[1, 2], [3]])
})

it('a storm of one item is one piece of work', async () => {
  const queue = createWorkQueue()
  let runs = 0
  for (let change = 0; change < 1_000; change++)
    void queue.coalesce('same', async () => {
      runs++
    })
  await queue.idle()
  expect(runs).toBe(1)
})

it('is idle only when also what was queued meanwhile is done', async () => {
  const queue = createWorkQueue()
  const log: string[] = []
  void queue.run(async () => {
    void queue.run(async () => void log.push('second'))
    log.push('first')
  })
  await queue.idle()
  expect(log).toEqual(['first', 'second'])
})
