import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeProject, type Project, pluginFiles, toolSource } from '../../packages/cli/test/project.ts'
import { main, openScratch, type Scratch } from './scratch.ts'

const require = createRequire(import.meta.url)
const packageJson = '@modelcontextprotocol/inspector/package.json'
const inspector = join(dirname(require.resolve(packageJson)), require(packageJson).bin['mcp-inspector'])

let scratch: Scratch
beforeAll(async () => {
  scratch = await openScratch()
})
afterAll(() => scratch[Symbol.asyncDispose]())

/** Asks a server by a client of another make. Its own state lies in the scratch folder too. */
async function inspect(target: readonly string[], ...words: readonly string[]) {
  const { code, stdout, stderr } = await scratch.node([inspector, '--cli', '--format', 'json', ...words, ...target])
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout).result
}

const namesOf = ({ tools }: { readonly tools: readonly { readonly name: string }[] }) => tools.map(({ name }) => name)

describe('the Inspector over standard input and output', () => {
  const serve = [process.execPath, main, 'serve', '--stdio', '--profile', 'default']
  const target = () => ['-e', `ROLLCALL_STATE_DIR=${scratch.env.ROLLCALL_STATE_DIR}`, '--', ...serve]

  it('lists the tools of the repository and finds no fault in a schema', async () => {
    const names = namesOf(await inspect(target(), '--method', 'tools/list', '--strict'))
    expect(names.length).toBeGreaterThanOrEqual(20)
    expect(names).toContain('everything__echo')
    expect(names).not.toContain('everything__get-env')
  })

  it('calls one', async () => {
    const call = ['--method', 'tools/call', '--tool-name', 'everything__echo', '--tool-arg', 'message=hello']
    expect(await inspect(target(), ...call)).toMatchObject({ content: [{ type: 'text', text: 'Echo: hello' }] })
  })
})

describe('the Inspector over HTTP', () => {
  let project: Project
  let url: string

  beforeAll(async () => {
    project = await makeProject({
      'rollcall.config.json': {
        plugins: ['./plugins/demo'],
        providers: {
          everything: {
            command: 'node',
            args: ['node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'stdio'],
            dataClass: 'publicContent',
            effect: 'read',
            approval: 'notNeeded',
          },
        },
        http: { port: 0 },
      },
      ...pluginFiles('demo', toolSource.greet),
    })
    const serving = project.begin('--config', 'rollcall.config.json', 'serve')
    const [address] = await serving.output(/http:\/\/127\.0\.0\.1:\d+\/mcp/)
    url = address
  })
  afterAll(() => project[Symbol.asyncDispose]())

  it('lists the tools of a plugin, and those of a server as soon as they are pinned', async () => {
    const list = async () => namesOf(await inspect(['--server-url', url], '--method', 'tools/list', '--strict'))
    expect(await list()).toContain('demo__greet')
    await expect.poll(list, { timeout: 20_000 }).toContain('everything__echo')
  })

  it('calls both', async () => {
    const call = (name: string, arg: string) =>
      inspect(['--server-url', url], '--method', 'tools/call', '--tool-name', name, '--tool-arg', arg)
    expect(await call('demo__greet', 'name=you')).toMatchObject({ content: [{ text: 'Hello, you!' }] })
    expect(await call('everything__echo', 'message=hello')).toMatchObject({ content: [{ text: 'Echo: hello' }] })
  })
})
