// A process of its own: makes calls one after another, which are sent to a sink, until somebody kills it.
import { createHost } from '../../../src/create-host.ts'
import { localUser } from '../../../src/gate/local-user.ts'
import { createSqliteStore } from '../../../src/store/create-sqlite-store.ts'
import { pluginWith, readingTool } from '../../plugins-in-code.ts'

const [file = '', webhook = '', calls = '1'] = process.argv.slice(2)
const store = await createSqliteStore({ file })
const host = await createHost({
  store,
  plugins: [pluginWith('app', readingTool('read'))],
  audit: { sinks: [{ webhook, allowPrivateNetwork: true }] },
})
for (let at = 0; at < Number(calls); at += 1)
  await host.tools.call('app__read', { text: `${at}` }, { principal: localUser })
setInterval(() => {}, 1_000)
