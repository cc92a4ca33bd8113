import type { CallerPort } from '@rollcall/host'
import type { JsonObject } from '@rollcall/plugin'
import { inputKeyOf } from '../../peer/input-key.ts'
import { ServerRequestError } from '../../peer/mcp-peer.ts'
import type { ClientRequest } from '../client-request.ts'
import { canElicit, canSample, unable } from '../session/caller-port.ts'
import { freeKeyFor, isAnswerTo, type QuestionMethod, toInputRequest } from './input-question.ts'

type Progress = NonNullable<ClientRequest['onProgress']>

/** One request of the client, as far as the call that it carries speaks to it. */
export interface Round {
  /** Aborts when the client has closed the response: that cancels the call. */
  readonly signal: AbortSignal
  /** Answers to questions, by their names. */
  readonly responses: JsonObject
  readonly progress: Progress
  log(message: JsonObject): void
}

interface Question {
  readonly method: QuestionMethod
  readonly params: JsonObject
  readonly answer: (answer: JsonObject) => void
}

type Outcome = { readonly result: JsonObject } | { readonly error: unknown }

/** Milliseconds in which further questions are awaited, so that those of one moment are put to the client together. */
const gatherMs = 25
const internalError = -32_603

/**
 * A call that lives on while its caller is asked: each of the caller's requests is one round, and the next one takes up
 * this very call.
 */
export class RoundCall {
  /** Resolves when the call is over. */
  readonly ended: Promise<void>
  readonly #outcome: Promise<Outcome>
  readonly #hasRoom: () => boolean
  readonly #over = new AbortController()
  readonly #questions = new Map<string, Question>()
  #round: Round | undefined
  /** Answers of this round that nobody has asked for yet. */
  #ahead: JsonObject = {}
  #asked = Promise.withResolvers<undefined>()

  /**
   * @param options.capabilities the client's own: nothing else is asked of it
   * @param options.name the client's own name
   * @param options.hasRoom whether one more call of this client may wait for it
   * @param options.run begins the call, at once
   */
  constructor(options: {
    readonly capabilities: JsonObject
    readonly name: string
    readonly hasRoom: () => boolean
    readonly run: (parts: { caller: CallerPort; signal: AbortSignal; onProgress: Progress }) => Promise<JsonObject>
  }) {
    this.#hasRoom = options.hasRoom
    const running = Promise.resolve().then(() =>
      options.run({
        caller: this.#caller(options.capabilities, options.name),
        signal: this.#over.signal,
        onProgress: (progress) => this.#round?.progress(progress),
      }),
    )
    this.#outcome = running.then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    )
    this.ended = this.#outcome.then(() => this.#over.abort())
  }

  get isAsking(): boolean {
    return this.#questions.size > 0
  }

  /** What is asked at this moment, by the names that answers come under. */
  inputRequests(): JsonObject {
    return Object.fromEntries(
      [...this.#questions].map(([key, { method, params }]) => [key, toInputRequest(method, params)]),
    )
  }

  /**
   * Goes on with what the client sends, until the call is over or asks something.
   *
   * Answers that are missing or are none leave their questions open.
   *
   * @returns the result; `undefined` where questions are open
   */
  async next(round: Round): Promise<JsonObject | undefined> {
    const cancel = () => this.cancel()
    round.signal.addEventListener('abort', cancel, { once: true })
    if (round.signal.aborted) cancel()
    this.#round = round
    this.#asked = Promise.withResolvers()
    this.#take(round.responses)
    if (this.isAsking) this.#askSoon()
    try {
      for (;;) {
        const outcome = await Promise.race([this.#outcome, this.#asked.promise])
        if (outcome !== undefined && 'error' in outcome) throw outcome.error
        if (outcome !== undefined) return outcome.result
        if (this.isAsking) return undefined
        // Nobody waits for those answers any more.
        this.#asked = Promise.withResolvers()
      }
    } finally {
      round.signal.removeEventListener('abort', cancel)
      this.#round = undefined
      this.#ahead = {}
    }
  }

  cancel(): void {
    this.#over.abort()
  }

  #take(responses: JsonObject): void {
    this.#ahead = responses
    for (const [key, question] of this.#questions) {
      const answer = responses[key]
      if (!isAnswerTo(question.method, answer)) continue
      this.#questions.delete(key)
      question.answer(answer)
    }
  }

  #askSoon(): void {
    const { resolve } = this.#asked
    setTimeout(() => resolve(undefined), gatherMs)
  }

  #caller(capabilities: JsonObject, name: string): CallerPort {
    const { elicitation, sampling, roots } = capabilities
    return {
      capabilities,
      name,
      ...(elicitation !== undefined && {
        elicit: async (params, signal) => {
          if (!canElicit(elicitation, params)) throw unable('that kind of elicitation')
          return this.#ask('elicitation/create', params, signal)
        },
      }),
      ...(sampling !== undefined && {
        sample: async (params, signal) => {
          if (!canSample(sampling, params)) throw unable('sampling with tools')
          return this.#ask('sampling/createMessage', params, signal)
        },
      }),
      ...(roots !== undefined && { roots: (signal) => this.#ask('roots/list', {}, signal) }),
      notify: (method, params) => {
        if (method === 'notifications/message') this.#round?.log(params)
      },
    }
  }

  async #ask(method: QuestionMethod, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const ownKey = inputKeyOf(params)
    const ahead = ownKey === undefined || this.#questions.has(ownKey) ? undefined : this.#ahead[ownKey]
    if (isAnswerTo(method, ahead)) return ahead
    if (!this.#hasRoom()) throw new ServerRequestError(internalError, 'Too many calls of this client wait for it.')

    const isTaken = (key: string) => this.#questions.has(key)
    const key = ownKey === undefined || isTaken(ownKey) ? freeKeyFor(method, isTaken) : ownKey
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>()
    const stop = AbortSignal.any([signal, this.#over.signal])
    const giveUp = () => reject(new ServerRequestError(internalError, 'The client was not there to answer.'))
    stop.addEventListener('abort', giveUp, { once: true })
    if (stop.aborted) giveUp()
    const question = { method, params, answer: resolve }
    this.#questions.set(key, question)
    this.#askSoon()
    try {
      return await promise
    } finally {
      stop.removeEventListener('abort', giveUp)
      // Its name may stand for another question by now.
      if (this.#questions.get(key) === question) this.#questions.delete(key)
    }
  }
}
