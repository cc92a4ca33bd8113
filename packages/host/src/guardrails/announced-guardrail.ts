import type { Guardrail } from '@rollcall/plugin'

/** A guardrail that a plugin announced, kept until the event reaches it again. */
export interface AnnouncedGuardrail {
  /** `<plugin>/<id>`: how the configuration names it. */
  readonly name: string
  readonly plugin: string
  /** Position of the plugin by configuration. */
  readonly order: number
  readonly guardrail: Guardrail
}
