import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

/** A test that shows it: its file in this folder, and its whole name as it stands there. */
type Proof = readonly [file: string, name: string]

const stdio = 'connect/stdio-cases.test.ts'
const calls = 'connect/calls.test.ts'
const tree = 'transports/process-tree.test.ts'
const half = 'connect/faults.test.ts'
const repeat = 'connect/repeat.test.ts'
const policy = 'pool/restart-policy.test.ts'
const web = 'transports/http-faults.test.ts'
const http = 'transports/http.test.ts'
const sse = 'transports/http-sse.test.ts'

/** What may go wrong with a server, and the tests that show how it is borne. */
const table: Readonly<Record<string, readonly Proof[]>> = {
  'exits at its start': [
    [stdio, 'fails at once with its exit code and the end of its error output'],
    [stdio, 'names a command that does not exist, and where to look'],
  ],
  'is slow or silent at its start': [
    [stdio, 'holds up nobody else, and fails with a reason that names its own limit'],
    [stdio, 'does not wait for its handshake when the host closes'],
  ],
  'writes noise on its output, splits UTF-8, ends lines with CRLF': [
    [stdio, 'ignores and counts the noise, and the text of three answers stays whole'],
    ['transports/line-splitter.test.ts', 'gives the same lines however the bytes are cut'],
  ],
  'floods its error output': [
    [stdio, 'is drained while three calls answer, and only its newest 8 KB are kept'],
    [stdio, 'R-SEC-29 shows no control character and no secret that was handed over'],
  ],
  'exits during a call': [
    [calls, 'is told at once when the server leaves, with its exit code and its last words; the next call restarts it'],
    [calls, 'fails every call that was in flight'],
    [half, 'fails the call at once when it leaves in the middle of its answer, with its exit code'],
    [repeat, 'is made once more where it is a %s, with its key'],
    [repeat, 'is not made again where it is a write, and says how the server left'],
    [repeat, 'is not made a third time'],
  ],
  'exits again and again': [
    [policy, 'is left alone twice as long after each failure in a row, up to 30 s'],
    [
      'connect/restart.test.ts',
      'is left alone after five failures, says when the next try is, and is probed by one call then',
    ],
  ],
  'is killed while many call it': [
    ['connect/restart.test.ts', 'lets every read end well'],
    ['connect/restart.test.ts', 'lets every write end, done or unknown, and none is done twice'],
  ],
  'is killed between calls': [[half, 'is started anew for the next call, which notices nothing']],
  'closes its input or its output and runs on': [
    [half, 'fails the call at once when it closes its output and runs on, and is replaced for the next'],
    [half, 'does not hold up the call after it has stopped reading'],
  ],
  'is frozen': [[half, 'that is frozen runs into the time of its call, and goes with its host']],
  'ignores the end of its input and SIGTERM, and has helpers': [
    [tree, 'is gone with its helpers within two seconds of the stop, also the helper that left its group'],
    [tree, 'takes no longer when there are several of them'],
  ],
  'outlives its host': [
    [tree, 'leaves nothing behind when its host ends by %s'],
    [half, 'leaves no server behind that ends with its input'],
    [half, 'leaves no server behind that ignores the end of its input, and none of its helpers'],
  ],
  'our own input ends': [
    ['serve/serve-stdio.test.ts', 'serves one client until its input ends, and writes nothing but protocol messages'],
  ],
  'answers 404 to a session': [
    [web, 'fails its request as one that was not done, and says that the session is lost'],
    [web, 'is begun anew, and what is listed in it is compared before the call'],
    [web, 'is no lost one where there was none'],
    [repeat, 'is begun anew and compared, and the read that found out is made once more'],
  ],
  'answers 401 or 403': [
    [http, 'that answers %i fails fast, without the token and without its echo'],
    [web, 'a token that is refused with %i in a session fails its request at once, unseen'],
  ],
  'redirects to another origin': [
    [http, 'R-SEC-16 that redirects elsewhere is refused, and the other origin gets nothing'],
    [sse, 'that redirects to another origin is refused, which gets nothing'],
    [sse, 'that names another origin for messages is refused, which gets nothing'],
  ],
  'cuts a stream, has the wrong content type, says nothing, or too much': [
    [web, '(%s) fails the call at once, with a code'],
    [calls, 'that is larger than the limit stops the server, and the next call starts it again'],
    [sse, 'whose stream ends during a call fails it at once, and is connected anew for the next'],
  ],
  'lists pages without end, or repeats a cursor': [['listing/list-tools.test.ts', '(%s) is cut, with a finding']],
  'never answers a cancel': [
    [calls, 'is over 250 ms after a cancel, and the connection survives'],
    [calls, 'is told from a cancel when the time is over'],
  ],
  'answers 429 or 5xx': [
    [web, 'with %i %s is asked again then, for what changes nothing'],
    [web, 'with %i is not asked again for a write, whose caller is told when'],
  ],
}

describe('a server that', () => {
  it.each(Object.entries(table))('%s is the matter of tests that exist', async (_fault, proofs) => {
    const missing: Proof[] = []
    for (const proof of proofs) if (!(await hasTest(proof))) missing.push(proof)
    expect(missing).toEqual([])
    expect(proofs.length).toBeGreaterThan(0)
  })

  it('is in the table once for each test', () => {
    const named = Object.values(table).flat().map(String)
    expect(named).toEqual([...new Set(named)])
  })
})

/** Tells whether a file has a test of this name: the name, right before the function that is the test, and not skipped. */
async function hasTest([file, name]: Proof): Promise<boolean> {
  const text = await readFile(join(import.meta.dirname, file), 'utf8')
  return text.split(`'${name}'`).some((before, index, parts) => {
    const isSkipped = /\b(skip|todo)\($/.test(before.trimEnd())
    return !isSkipped && /^,\s*(async )?\(/.test(parts[index + 1] ?? '')
  })
}
