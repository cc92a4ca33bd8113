import { describe, expect, it } from 'vitest'
import { checkConfig } from '../../src/config/check-config.ts'
import { createHost } from '../../src/create-host.ts'
import { localUser } from '../../src/gate/local-user.ts'
import { pluginWith, readingTool } from '../plugins-in-code.ts'
import { caught } from './caught.ts'

const faultsOf = async (config: unknown) => {
  const error = await caught(() => checkConfig(config, { file: 'rollcall.config.json' }))
  return (error.data?.faults ?? []) as readonly { readonly path: string; readonly message: string }[]
}

describe('tables and rules of the operator', () => {
  it('R-GOV-14 may be named wherever a class or a zone is', () => {
    const config = {
      dataClasses: { patients: { above: 'internalConfiguration' } },
      zones: { clinic: { ceiling: 'patients' } },
      profiles: { ward: { zone: 'clinic', ceiling: 'patients' } },
      providers: { files: { preset: 'workspace', dataClass: 'patients', zone: 'clinic' } },
      // biome-ignore format: one rule a line
      rules: [{ when: { tool: ['files__*'], taint: 'patients', args: { required: ['to'] } }, then: 'ask', reason: 'GDPR' }],
    }
    expect(checkConfig(config, { file: 'x' })).toEqual(config)
  })

  it('R-GOV-14 have every name checked, and what is built in can not be redefined', async () => {
    const faults = await faultsOf({
      dataClasses: { one: { above: 'two' }, two: { above: 'one' }, publicContent: { above: 'editorContent' } },
      zones: { local: { ceiling: 'publicContent' }, clinic: { ceiling: 'patient' } },
      profiles: { ward: { zone: 'clinix', ceiling: 'secrets' } },
      providers: { files: { dataClass: 'nope', zone: 'nowhere', tools: { read: { dataClass: 'nope' } } } },
      rules: [{ when: { taint: 'nope', args: [] }, then: 'ask' }],
    })
    expect(faults.map(({ path }) => path)).toEqual([
      'dataClasses.publicContent',
      'zones.local',
      'dataClasses.one.above',
      'dataClasses.two.above',
      'zones.clinic.ceiling',
      'profiles.ward.zone',
      'profiles.ward.ceiling',
      'providers.files.dataClass',
      'providers.files.zone',
      'providers.files.tools.read.dataClass',
      'rules[0].when.taint',
      'rules[0].when.args',
    ])
    expect(faults[3]?.message).toContain('ring')
  })

  it('R-GOV-10 an unknown verdict or condition is a fault, not a rule that never matches', async () => {
    const faults = await faultsOf({ rules: [{ when: { tols: 'x' }, then: 'refuse' }] })
    expect(faults.map(({ path }) => path)).toEqual(['rules[0].when.tols', 'rules[0].then'])
  })

  it('R-GOV-10 a rule whose schema can not be used keeps the host from starting', async () => {
    const rules = [{ when: { args: { $ref: 'https://example.com/schema' } }, then: 'deny' }] as const
    const error = await caught(() => createHost({ rules }))
    expect(error.code).toBe('CONFIG_INVALID')
    expect(error.message).toContain('rules[0].when.args')
  })

  it('R-GOV-10 a rule that is about nothing there is stands in the report', async () => {
    await using host = await createHost({
      plugins: [pluginWith('app', readingTool('look'))],
      rules: [
        { when: { tool: 'app__look' }, then: 'ask' },
        { when: { tool: 'ap__*' }, then: 'deny' },
      ],
    })
    const found = host.report().findings.filter(({ code }) => code === 'RULE_UNMATCHED')
    expect(found).toMatchObject([{ severity: 'error', message: expect.stringContaining('rules[1] ("deny")') }])
    expect((await host.tools.call('app__look', {}, { principal: localUser })).status).toBe('waiting')
  })
})
