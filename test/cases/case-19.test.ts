import { describe, expect, it } from 'vitest'
import { makePackages } from './make-packages.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('19')
const packages = ['a-noplugin', 'b-esmonly', 'c-cjs', 'd-nomain', 'e-badjson', '@scope/f-plug', 'g-dual', 'h-nodefault']
const broken = ['d-nomain', 'e-badjson', 'h-nodefault']
const sound = { b: 'b-esm', c: 'c-cjs', f: 'f-scoped', g: 'g-2.0.0' }

interface Finding {
  readonly severity: string
  readonly code: string
  readonly message: string
  readonly about: { readonly plugin?: string }
}

describe.skipIf(folder === undefined)('packages of every layout', () => {
  it('are each loaded or told once, and none keeps the others out', async () => {
    await using project = await makePackages(folder ?? '', { pluginsFrom: 'dependencies' })
    const dependencies = Object.fromEntries(packages.map((name) => [name, '*']))
    await project.write({ 'packages/package.json': { name: 'host', dependencies } })

    const before = JSON.parse((await project.rollcall('plugins', '--json')).stdout)
    const held = before.providers.filter(({ state }: { state: string }) => state === 'held')
    const accepted: readonly string[] = held.map(({ plugin }: { plugin: string }) => plugin)
    expect(accepted).toEqual(expect.arrayContaining(['b-esmonly', 'c-cjs', '@scope/f-plug', 'g-dual']))
    for (const name of accepted) expect((await project.rollcall('enable', name)).code).toBe(0)

    const { code, stdout, stderr } = await project.rollcall('plugins', '--json')
    expect(code, stderr).toBe(0)
    const { providers, findings } = JSON.parse(stdout) as {
      providers: { appId: string; state: string }[]
      findings: Finding[]
    }
    for (const appId of Object.keys(sound)) {
      expect(providers.filter((provider) => provider.appId === appId)).toMatchObject([{ state: 'active' }])
    }
    for (const name of broken) {
      const about = findings.filter((finding) => JSON.stringify(finding).includes(name))
      expect(about, name).toMatchObject([{ severity: 'error', code: 'PLUGIN_INVALID' }])
    }
    expect(`${stdout}${stderr}`).not.toMatch(/a-noplugin|must not be loaded/)
  })

  it.each(Object.entries(sound))('%s answers with its own version', async (appId, version) => {
    const plugins = ['b-esmonly', 'c-cjs', '@scope/f-plug', 'g-dual']
    await using project = await makePackages(folder ?? '', { plugins })
    expect((await project.rollcall('call', `${appId}__ver`)).stdout).toBe(`${version}\n`)
  })
})
