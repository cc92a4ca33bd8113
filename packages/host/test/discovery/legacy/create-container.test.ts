import { describe, expect, it } from 'vitest'
import { createContainer } from '../../../src/discovery/legacy/create-container.ts'

describe('createContainer', () => {
  it('gives a value as it was registered', () => {
    const services = createContainer(undefined)
    const value = { some: 'service' }
    services.register('some', value)
    expect(services.has('some')).toBe(true)
    expect(services.get('some')).toBe(value)
  })

  it('runs a factory once, at the first demand', () => {
    let runs = 0
    const services = createContainer(undefined)
    services.register('counter', () => ({ run: ++runs }))
    expect(services.has('counter')).toBe(true)
    expect(runs).toBe(0)
    expect(services.get('counter')).toBe(services.get('counter'))
    expect(runs).toBe(1)
  })

  it('throws what a factory threw at every demand, without running it again', () => {
    let runs = 0
    const services = createContainer(undefined)
    services.register('broken', () => {
      throw new TypeError(`run ${++runs}`)
    })
    expect(() => services.get('broken')).toThrow('run 1')
    expect(() => services.get('broken')).toThrow('run 1')
    expect(runs).toBe(1)
  })

  it('keeps the rejection of a factory that nobody awaits from being unhandled', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    try {
      const services = createContainer(undefined)
      services.register('late', () => Promise.reject(new TypeError('no')))
      const late = services.get('late')
      await new Promise((resolve) => setImmediate(resolve))
      await expect(late).rejects.toThrow('no')
      expect(unhandled).toEqual([])
    } finally {
      process.off('unhandledRejection', note)
    }
  })

  it('falls back to the container of the host, and shadows it', () => {
    const host = new Map<string, unknown>([
      ['shared', 'of the host'],
      ['both', 'of the host'],
    ])
    const services = createContainer({ has: (alias) => host.has(alias), get: (alias) => host.get(alias) })
    services.register('both', 'of the plugin')
    expect(services.has('shared')).toBe(true)
    expect(services.get('shared')).toBe('of the host')
    expect(services.get('both')).toBe('of the plugin')
    expect(host.get('both')).toBe('of the host')
  })

  it('compares the appId of an alias without case', () => {
    const services = createContainer(undefined)
    services.register('ToolProvider::Notes', 'found')
    expect(services.get('ToolProvider::notes')).toBe('found')
    expect(services.has('toolprovider::notes')).toBe(false)
  })

  it('says which alias is missing', () => {
    const services = createContainer(undefined)
    expect(services.has('gone')).toBe(false)
    expect(() => services.get('gone')).toThrow(
      expect.objectContaining({ code: 'SERVICE_NOT_FOUND', message: expect.stringContaining('"gone"') }),
    )
  })
})
