import { expect, it } from 'vitest'
import { createCleanupStack } from '../src/cleanup-stack.ts'

function resources() {
  const log: string[] = []
  const resource = (name: string, fault?: Error) => ({
    async [Symbol.asyncDispose]() {
      log.push(name)
      if (fault !== undefined) throw fault
    },
  })
  return { log, resource }
}

it('ends everything in reverse, whatever fails, and then tells of the first fault', async () => {
  const { log, resource } = resources()
  const stack = createCleanupStack()
  stack.use(resource('store'))
  stack.use(resource('server', new TypeError('stuck')))
  stack.use(resource('host'))
  await expect(stack[Symbol.asyncDispose]()).rejects.toThrow('stuck')
  expect(log).toEqual(['host', 'server', 'store'])
  await stack[Symbol.asyncDispose]()
  expect(log).toHaveLength(3)
})

it('ends nothing that was handed over', async () => {
  const { log, resource } = resources()
  const stack = createCleanupStack()
  stack.use(resource('store'))
  const owner = stack.move()
  await stack[Symbol.asyncDispose]()
  expect(log).toEqual([])
  await owner[Symbol.asyncDispose]()
  expect(log).toEqual(['store'])
})
