// Dies when it is told to: `now` during the call, `later` right after its answer.
import { createInterface } from 'node:readline'

const work = { name: 'work', description: 'Works, or dies.', inputSchema: { type: 'object' } }
const routes = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'shaky', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [work] }),
  'tools/call'({ arguments: { die } }) {
    if (die === 'now') process.exit(7)
    if (die === 'later') setTimeout(() => process.exit(8), 20)
    return { content: [{ type: 'text', text: 'done' }] }
  },
}
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    const result = routes[method]?.(params ?? {})
    if (id !== undefined && result) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
  })
  .on('close', () => process.exit(0))
