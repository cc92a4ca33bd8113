import { type Finding, silentLogger } from '@rollcall/plugin'
import { expect, it } from 'vitest'
import { createPolicy } from '../../src/gate/policy.ts'
import { createReporter } from '../../src/report/create-reporter.ts'

const late = (plugin: string): Finding => ({
  code: 'REGISTRATION_CLOSED',
  severity: 'warn',
  about: { plugin },
  phase: 'announce',
  message: `${plugin} announced too late.`,
  hint: 'Await it.',
  causes: [],
})

it('keeps and logs a repeated finding once, and forgets those of a plugin that went', () => {
  const logged: string[] = []
  const logger = { ...silentLogger, warn: (message: string) => void logged.push(message) }
  const current = () => ({ generation: 1, entries: new Map(), features: new Map(), providers: [], findings: [] })
  const reporter = createReporter({ generations: { current }, logger, policy: createPolicy() })
  for (const plugin of ['a', 'b', 'a']) reporter.note(late(plugin))
  expect(logged).toEqual(['a announced too late.', 'b announced too late.'])
  reporter.forget('a')
  expect(reporter.report().findings).toEqual([late('b')])
  reporter.forget()
  expect(reporter.report().findings).toEqual([])
})
