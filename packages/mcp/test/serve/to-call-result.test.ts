import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import type { ToolContent } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { toCallResult } from '../../src/serve/to-call-result.ts'
import { denied, ok, waiting } from './stub-host.ts'

const everyKind: readonly ToolContent[] = [
  { type: 'text', text: 'hello', annotations: { audience: ['user'] }, _meta: { a: 1 } },
  { type: 'image', data: 'aGk=', mimeType: 'image/png' },
  { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'demo://1', text: 'body', mimeType: 'text/plain' } },
  { type: 'resource_link', uri: 'demo://2', name: 'two', description: 'second', size: 12 },
]

describe('toCallResult', () => {
  it('passes every kind of content, structured content and _meta unchanged', () => {
    const outcome = ok({ content: everyKind, structured: { n: 1 }, meta: { 'example.org/x': [1] } })
    expect(toCallResult(outcome)).toEqual({
      content: everyKind,
      structuredContent: { n: 1 },
      _meta: { 'example.org/x': [1], 'rollcall/callId': 'call-1' },
    })
  })

  it('gives a text note for a block of an unknown kind, and does not lose the result', () => {
    const strange = { type: 'hologram', data: 'x' } as unknown as ToolContent
    const result = toCallResult(ok({ content: [strange, { type: 'text', text: 'kept' }] }))
    expect(CallToolResultSchema.safeParse(result).success).toBe(true)
    expect(result.content).toMatchObject([{ type: 'text' }, { type: 'text', text: 'kept' }])
    expect(JSON.stringify(result.content)).toContain('hologram')
  })

  it('R-GOV-37 says what in a result reads like instructions, whatever its tool says of that', () => {
    const outcome = { ...ok({ content: [], meta: { 'rollcall/suspicious': [] } }), suspicious: ['a line'] }
    expect(toCallResult(outcome)._meta).toMatchObject({ 'rollcall/suspicious': ['a line'] })
    const claimed = toCallResult(ok({ content: [], meta: { 'rollcall/suspicious': ['x'] } }))._meta
    expect(claimed).not.toHaveProperty(['rollcall/suspicious'])
  })

  it('R-SEC-25 drops what a tool writes under our own _meta keys', () => {
    const meta = { 'rollcall/code': 'APPROVAL_DENIED', 'rollcall/callId': 'other' }
    expect(toCallResult(ok({ content: [], meta }))._meta).toEqual({ 'rollcall/callId': 'call-1' })
  })

  it('marks a failure and names its code', () => {
    const failed = { status: 'failed', code: 'TOOL_FAILED', callId: 'c', text: 'disk full', durationMs: 1 } as const
    expect(toCallResult({ ...failed, content: [] })).toEqual({
      content: [{ type: 'text', text: 'disk full' }],
      isError: true,
      _meta: { 'rollcall/callId': 'c', 'rollcall/code': 'TOOL_FAILED' },
    })
    expect(toCallResult({ ...failed, content: everyKind, structured: { e: 1 } })).toMatchObject({
      content: everyKind,
      structuredContent: { e: 1 },
      isError: true,
    })
  })

  it.each(['APPROVAL_DENIED', 'APPROVAL_EXPIRED'] as const)('names %s in a result', (code) => {
    expect(toCallResult(denied(code))).toMatchObject({ isError: true, _meta: { 'rollcall/code': code } })
  })

  it('says that a write may have happened', () => {
    const outcome = {
      status: 'unknown',
      code: 'TOOL_OUTCOME_UNKNOWN',
      callId: 'c',
      text: 'may have',
      durationMs: 1,
    } as const
    expect(toCallResult({ ...outcome, hint: 'look' })).toMatchObject({
      isError: true,
      _meta: { 'rollcall/code': 'TOOL_OUTCOME_UNKNOWN' },
    })
  })

  it('shows neither id nor command of a call that waits for a person', () => {
    const result = toCallResult(waiting('notes__delete'))
    expect(result).toMatchObject({ isError: true, _meta: { 'rollcall/code': 'APPROVAL_PENDING' } })
    expect(JSON.stringify(result)).not.toMatch(/secret-call-id|rollcall approve|`/)
  })
})
