import { describe, expect, it } from 'vitest'
import { StdioTransport } from '../../src/transports/stdio-transport.ts'
import { failureOf } from '../observe.ts'
import { openProject } from '../open-project.ts'

describe('a server that is stopped while it starts', () => {
  it('is never spawned once it was closed', async () => {
    await using project = await openProject()
    const reasons: string[] = []
    const script = await project.write(
      'marks.mjs',
      "import { appendFileSync } from 'node:fs'\nappendFileSync('log.txt', 'started\\n')\nsetInterval(() => {}, 1000)",
    )
    const transport = new StdioTransport(
      { kind: 'stdio', name: 'x', command: 'node', args: [script], cwd: project.folder, env: {}, secrets: [] },
      { maxMessageBytes: 1_000, onMessage: () => {}, onClosed: ({ code }) => void reasons.push(code) },
    )
    const start = failureOf(transport.start())
    await transport.close()
    expect((await start).code).toBe('SERVER_UNAVAILABLE')
    expect(transport.vitals().pid).toBeUndefined()
    expect(reasons).toEqual(['SERVER_UNAVAILABLE'])
    expect(await project.log()).toEqual([])
  })
})
