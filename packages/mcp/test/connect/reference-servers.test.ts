import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codesIn, heldIn, list, settled, textOf } from '../observe.ts'
import { callBy, openProject } from '../open-project.ts'

const require = createRequire(import.meta.url)
const server = (name: string, ...args: string[]) => ({
  command: 'node',
  args: [join(dirname(require.resolve(`@modelcontextprotocol/server-${name}/package.json`)), 'dist/index.js'), ...args],
})

describe('the reference servers', () => {
  it('everything: lists, calls, reports progress, and starts from the lock file only when it is called', async () => {
    await using project = await openProject()
    const first = project.start()
    const pinned = await settled(await project.open(first, 'everything', server('everything')))
    expect(pinned.tools.length).toBeGreaterThan(8)
    expect(Object.values(heldIn(pinned)).every((hold) => hold === '')).toBe(true)
    await first[Symbol.asyncDispose]()

    const mcp = project.start()
    const provider = await project.open(mcp, 'everything', server('everything'))
    const listing = await list(provider)
    expect(listing.tools).toEqual(pinned.tools)
    expect(listing.detail).toBe('mcp, stdio, not started')
    expect(mcp.servers()).toMatchObject([{ state: 'idle' }])

    expect(textOf(await provider.call('echo', { message: 'hi' }, callBy()))).toContain('hi')
    const seen: number[] = []
    const progress = (done: number) => void seen.push(done)
    const args = { duration: 1, steps: 4 }
    await provider.call('trigger-long-running-operation', args, callBy('ann', { progress }))
    expect(seen).toEqual([1, 2, 3, 4])
    const environment = textOf(await provider.call('get-env', {}, callBy()))
    expect(Object.keys(JSON.parse(environment))).not.toContain('VITEST')
    expect((await list(provider)).detail).toBe('mcp, stdio, running')
  })

  it('filesystem: reads inside its folder and answers an error for what lies outside', async () => {
    await using project = await openProject()
    const folder = join(project.folder, 'files')
    await mkdir(folder)
    await writeFile(join(folder, 'a.txt'), 'content of a')
    const provider = await project.open(project.start(), 'files', server('filesystem', folder))
    expect(Object.keys(heldIn(await settled(provider)))).toContain('read_text_file')
    const read = (path: string) => provider.call('read_text_file', { path }, callBy())
    expect(textOf(await read(join(folder, 'a.txt')))).toBe('content of a')
    expect(await read('/etc/passwd')).toMatchObject({ isError: true })
  })

  it('memory: finds again what was written before its restart', async () => {
    await using project = await openProject()
    const memory = { ...server('memory'), env: { MEMORY_FILE_PATH: join(project.folder, 'memory.jsonl') } }
    const first = await project.open(project.start(), 'memory', memory)
    expect(codesIn(await settled(first))).toEqual(['SERVER_PINNED'])
    const entities = [{ name: 'node-one', entityType: 'x', observations: ['y'] }]
    await first.call('create_entities', { entities }, callBy())
    await first[Symbol.asyncDispose]()
    const second = await project.open(project.start(), 'memory', memory)
    expect(codesIn(await list(second))).toEqual([])
    expect(await second.call('read_graph', {}, callBy())).toMatchObject({ structured: { entities } })
  })
})
