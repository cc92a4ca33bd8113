/** By whose word a fetch is made, and where it may go. */
export interface OutboundOptions {
  /** Whose fetch it is, for messages: an appId or a plugin. */
  readonly name: string
  /** Loopback and private addresses; link-local and metadata addresses are refused in any case. */
  readonly allowPrivate: boolean
  /** Default `same-origin`: a redirect to another origin is refused, and credentials never follow one. */
  readonly redirects?: 'same-origin' | 'refuse'
  /** Milliseconds within which an answer must begin. Default: as long as the caller's signal lets it. */
  readonly answerWithinMs?: number
}

/**
 * Every network fetch of this process: all resolved addresses of a host are checked, and the connection goes to a
 * checked one. Proxies only by configuration.
 *
 * @throws {RollcallError} `ADDRESS_REFUSED`, and `SERVER_UNAVAILABLE` with `data.sent` false where nothing was sent.
 */
export type OutboundFetch = (input: string | URL, init: RequestInit, options: OutboundOptions) => Promise<Response>
