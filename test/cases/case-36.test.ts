import { localUser } from '@rollcall/host'
import { hasHiddenCharacters } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { makeProject } from '../../packages/cli/test/project.ts'
import { openCaseFolder, openClient, serverIn, words } from './open-case.ts'
import { sharedCase } from './shared-cases.ts'

const folder = sharedCase('36')
const raw = /[\u0007\u001b\u200b\u202e]|[\u{E0001}-\u{E007F}]/u

describe.skipIf(folder === undefined)('hidden texts, look-alike names and a description that changes', () => {
  it('R-SEC-30 holds each poisoned tool, with what was found, and raises no alarm about ordinary joiners', async () => {
    await using home = await openCaseFolder()
    await using opened = await home.open({ c36: serverIn(folder ?? '') })
    await opened.settled()
    const heldBy = new Map(opened.host.tools.all().map(({ original, holds }) => [original, holds.map(({ by }) => by)]))
    for (const name of ['weather', 'notes', 'clock', 'r\u0435ad_file', 'paint'])
      expect(heldBy.get(name), name).toContain('suspicious')
    const findings = opened.host.report().findings.filter(({ code }) => code === 'TOOL_SUSPICIOUS')
    expect(findings.length).toBeGreaterThanOrEqual(5)
    for (const { message } of findings) expect(message).not.toMatch(raw)
    expect(await opened.call('c36__weather')).toMatchObject({ status: 'denied', code: 'TOOL_HELD' })
  })

  it('R-SEC-30 tells its client nothing that is hidden: no tool, no instructions', async () => {
    await using home = await openCaseFolder()
    await using opened = await home.open({ c36: serverIn(folder ?? '') })
    await opened.settled()
    await using face = await openClient(opened)
    const { tools } = await face.client.listTools()
    for (const { name } of tools) expect(name).toMatch(/^[A-Za-z0-9_-]+$/)
    expect(JSON.stringify([tools, face.client.getInstructions()])).not.toMatch(raw)
    expect(hasHiddenCharacters(face.client.getInstructions() ?? '')).toBe(false)
  })

  it('R-SEC-30 is shown to an approver and to a client as the same text, and a changed description is held', async () => {
    await using home = await openCaseFolder()
    await using opened = await home.open({ c36: serverIn(folder ?? '') })
    await opened.settled()
    expect(await opened.mcp.sync('c36', { accept: true, by: 'ann' })).toMatchObject({ tools: { length: 7 } })
    await expect.poll(() => opened.call('c36__weather'), { timeout: 10_000 }).toMatchObject({ status: 'ok' })
    await using face = await openClient(opened)
    const { tools } = await face.client.listTools()
    expect(JSON.stringify(tools)).not.toMatch(raw)
    const names = tools.map(({ name }) => name)
    // The look-alike is another tool, under a name of plain letters that is never `read_file`.
    expect(names.filter((name) => /^[A-Za-z0-9_-]+$/.test(name))).toEqual(names)
    expect(names).not.toContain('c36__read_file')

    await opened.call('c36__flip')
    await expect
      .poll(() => opened.host.tools.all().find(({ original }) => original === 'weather')?.holds, { timeout: 10_000 })
      .toContainEqual(expect.objectContaining({ by: 'drift' }))
    expect(await opened.call('c36__weather')).toMatchObject({ status: 'denied', code: 'TOOL_HELD' })
  })

  it('R-SEC-30 in a result changes no rule: it is fenced, flagged and shown, and the next call still waits', async () => {
    await using home = await openCaseFolder()
    await using opened = await home.open({
      c36: { ...serverIn(folder ?? ''), tools: { clock: { effect: 'write', approval: 'always' } } },
    })
    await opened.settled()
    await opened.mcp.sync('c36', { accept: true, by: 'ann' })
    await expect.poll(() => opened.call('c36__notes'), { timeout: 10_000 }).toMatchObject({ status: 'ok' })
    const noted = await opened.call('c36__notes')
    expect(noted).toMatchObject({ suspicious: [expect.any(String)] })
    expect(noted.text).toMatch(/^What stands between the two lines data-/)
    expect(noted.text).not.toMatch(raw)
    expect(noted.text).toContain('\\u{E0061}')
    const waiting = await opened.host.tools.call('c36__clock', {}, { principal: localUser })
    expect(waiting).toMatchObject({ status: 'waiting' })
  })

  it('R-SEC-29 R-SEC-30 shows no raw byte of it at the command, in text or JSON', async () => {
    await using project = await makeProject({
      'rollcall.config.json': { providers: { c36: { command: 'node', args: [`${folder}/server.mjs`], ...words } } },
    })
    for (const command of [['sync'], ['tools', '--off'], ['report'], ['why', 'c36__paint'], ['call', 'c36__paint']])
      for (const more of [[], ['--json']]) {
        const { stdout, stderr } = await project.runTrusted(...more, ...command)
        expect(stdout + stderr, command.join(' ')).not.toMatch(raw)
        expect(stdout + stderr, command.join(' ')).not.toBe('')
      }
  }, 180_000)
})
