import type { TObject, TSchema } from 'typebox'
import type { ToolDefinition } from './tool-definition.ts'

/**
 * Defines a tool: returns it unchanged and infers the types of its arguments and result.
 *
 * @example
 * const forecast = defineTool({
 *   name: 'forecast',
 *   description: 'Weather forecast for a city.',
 *   input: Type.Object({ city: Type.String() }),
 *   effect: 'read',
 *   dataClass: 'publicContent',
 *   execute: ({ city }) => `Sunny in ${city}`,
 * })
 */
export function defineTool<I extends TObject | undefined = undefined, O extends TSchema | undefined = undefined>(
  tool: ToolDefinition<I, O>,
): ToolDefinition<I, O> {
  return tool
}
