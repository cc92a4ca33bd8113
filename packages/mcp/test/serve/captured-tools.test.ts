import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js'
import type { ToolView } from '@rollcall/host'
import { hasHiddenCharacters, type Json } from '@rollcall/plugin'
import { describe, expect, it } from 'vitest'
import { toPublishedTool } from '../../src/serve/to-published-tool.ts'
import { viewOf } from './stub-host.ts'

const folder = new URL('../../../../../shared/data/toollists/', import.meta.url)
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []

type Captured = ToolView['definition'] & { readonly name: string; readonly execution?: Json }

describe.skipIf(files.length === 0)('lists captured from public servers', () => {
  it.each(files)('are published with everything that clients may know: %s', (file) => {
    const { tools }: { tools: readonly Captured[] } = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
    const published = tools.map((tool) => toPublishedTool(viewOf({ name: `x__${tool.name}`, definition: tool })))
    expect(ListToolsResultSchema.safeParse({ tools: published }).success).toBe(true)
    tools.forEach((tool, index) => {
      const { name: _name, annotations: _annotations, execution: _execution, _meta, ...kept } = tool
      expect(published[index]?.inputSchema).toEqual(kept.inputSchema)
      if (hasHiddenCharacters(`${kept.title}${kept.description}`)) return
      const { annotations: _ours, _meta: meta, ...same } = published[index] ?? {}
      expect(same).toEqual({ ...kept, name: `x__${tool.name}` })
      expect(meta ?? {}).toMatchObject(_meta ?? {})
    })
  })
})
