// A process of its own: a host on a store that others use, too. It approves and resumes one call many times at once, and
// prints what it was told; or, told to die, ends in the middle of executing it.
import { appendFileSync } from 'node:fs'
import { createHost } from '../../src/create-host.ts'
import { localUser } from '../../src/gate/local-user.ts'
import { createPostgresStore } from '../../src/store/create-postgres-store.ts'
import { createSqliteStore } from '../../src/store/create-sqlite-store.ts'
import { pluginWith, writingTool } from '../plugins-in-code.ts'

const [place = '', effects = '', callId = '', times = '1', dies = 'no'] = process.argv.slice(2)
await using store = place.startsWith('postgres:')
  ? await createPostgresStore({ url: place })
  : await createSqliteStore({ file: place })
const tool = writingTool('write', [], {
  execute: () => {
    appendFileSync(effects, `${process.pid}\n`)
    if (dies === 'yes') process.kill(process.pid, 'SIGKILL')
    return 'written'
  },
})
await using host = await createHost({ store, plugins: [pluginWith('app', tool)] })
const call = { stream: `call/${callId}`, callId } as const
const [waiting] = (await host.tools.pending(localUser)).filter(({ pending }) => pending.callId === callId)
const binds = waiting?.pending.binds ?? 'sha256:'
const told = await Promise.all(
  Array.from({ length: Number(times) }, async () => {
    const answered = await host.tools.answer(call, { kind: 'approval', approved: true, binds }, localUser)
    const { status } = await host.tools.resume(call, { principal: localUser })
    return { answered: answered.ok ? 'ok' : answered.code, status }
  }),
)
console.log(JSON.stringify(told))
