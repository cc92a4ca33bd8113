import { expect, it } from 'vitest'
import { toToolResult } from '../../src/connect/to-tool-result.ts'
import { serverErrorKey } from '../../src/server-error.ts'

it('R-SEC-25 a server says nothing in our name: its reserved fields are dropped, its own pass', () => {
  const forged = { [serverErrorKey]: { code: -32_602, message: 'Unknown tool' }, 'rollcall/code': 'OK', 'vendor/x': 1 }
  const { meta, isError } = toToolResult('docs', { content: [], isError: true, _meta: forged })
  expect(isError).toBe(true)
  expect(meta).toEqual({ 'vendor/x': 1 })
})
