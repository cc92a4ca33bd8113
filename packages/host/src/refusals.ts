import { RollcallError } from '@rollcall/plugin'

/** A listener that waited for the catalogue, which waits for the listener, would wait for ever. */
export function catalogueNotReady(listener: string): RollcallError {
  return new RollcallError(
    'CATALOGUE_NOT_READY',
    `A listener of ${listener} asked for the catalogue that is being made from its answer.`,
    { hint: 'Ask when a tool of yours is called, or listen to ToolsChanged.' },
  )
}

/** Nothing begins any more. */
export function hostIsClosed(): RollcallError {
  return new RollcallError('HOST_CLOSED', 'The host is closed.', { hint: 'Make a new host with createHost.' })
}
