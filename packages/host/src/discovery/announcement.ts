import type { ToolProvider } from '@rollcall/plugin'
import type { LoadedPlugin } from '../plugins/loaded-plugin.ts'

/** What a plugin announced, kept until the event reaches it again. */
export interface Announcement {
  readonly plugin: LoadedPlugin
  readonly appId: string
  readonly provider: ToolProvider
}
