import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '@rollcall/plugin'

const folder = fileURLToPath(new URL('../../../../../shared/data/toollists/', import.meta.url))

/** Tool lists of public servers, kept beside the repository; absent on most machines. */
export const hasCapturedLists = existsSync(folder)

export interface CapturedTool {
  readonly server: string
  readonly tool: JsonObject & { readonly name: string; readonly inputSchema: JsonObject }
}

export function capturedTools(): readonly CapturedTool[] {
  if (!hasCapturedLists) return []
  return readdirSync(folder).flatMap((file) => {
    const { tools } = JSON.parse(readFileSync(`${folder}${file}`, 'utf8')) as { tools: CapturedTool['tool'][] }
    return tools.map((tool) => ({ server: file.replace('.json', ''), tool }))
  })
}
