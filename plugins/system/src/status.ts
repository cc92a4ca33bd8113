import { availableParallelism, freemem, loadavg, totalmem, uptime } from 'node:os'
import { defineTool, Type } from '@rollcall/plugin'

/** How the machine and this process are doing. */
export const status = defineTool({
  name: 'status',
  title: 'System status',
  description: 'Uptime, load and memory of this machine, and the version, age and memory of the process that answers.',
  effect: 'read',
  dataClass: 'systemDiagnostics',
  output: Type.Object({
    machine: Type.Object({
      platform: Type.String(),
      uptimeSeconds: Type.Number(),
      processors: Type.Integer(),
      loadAverage: Type.Array(Type.Number(), { description: 'Over 1, 5 and 15 minutes; zeros on Windows.' }),
      memoryBytes: Type.Object({ total: Type.Integer(), free: Type.Integer() }),
    }),
    process: Type.Object({
      id: Type.Integer(),
      node: Type.String(),
      uptimeSeconds: Type.Number(),
      memoryBytes: Type.Integer(),
    }),
  }),
  execute: () => ({
    structured: {
      machine: {
        platform: `${process.platform} ${process.arch}`,
        uptimeSeconds: Math.round(uptime()),
        processors: availableParallelism(),
        loadAverage: loadavg(),
        memoryBytes: { total: totalmem(), free: freemem() },
      },
      process: {
        id: process.pid,
        node: process.versions.node,
        uptimeSeconds: Math.round(process.uptime()),
        memoryBytes: process.memoryUsage.rss(),
      },
    },
  }),
})
