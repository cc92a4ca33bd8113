/** A promise to users, and where it comes from. Tests cite the id at the start of their names. */
export interface Requirement {
  readonly id: `R-${'DISC' | 'SEC' | 'GOV' | 'RUN'}-${string}`
  readonly behaviour: string
  /** The chapter that it belongs to. */
  readonly source: 'discovery' | 'threats' | 'governance' | 'runtime'
  /** `built`: cited by a test that passes. `partly`: cited, and `open` says what is missing. `open`: nothing yet. */
  readonly state: 'built' | 'partly' | 'open'
  readonly open?: string
}

const disc = (number: string, behaviour: string): Requirement => ({
  id: `R-DISC-${number}`,
  behaviour,
  source: 'discovery',
  state: 'built',
})

const sec = (number: string, state: Requirement['state'], behaviour: string, open?: string): Requirement => ({
  id: `R-SEC-${number}`,
  behaviour,
  source: 'threats',
  state,
  ...(open === undefined ? {} : { open }),
})

const gov = (number: string, behaviour: string): Requirement => ({
  id: `R-GOV-${number}`,
  behaviour,
  source: 'governance',
  state: 'built',
})

export const requirements: readonly Requirement[] = [
  disc('01', 'A plugin that announces has its tools in the catalogue, source `announced`.'),
  disc(
    '02',
    'A plugin that announces and still has the container alias gives exactly one provider; the alias is reported superseded.',
  ),
  disc('03', 'A throwing listener leaves every other plugin complete, before and after it.'),
  disc('04', 'What a listener announced before it threw is discarded and reported.'),
  disc('05', 'A rejecting async listener is isolated, without an unhandled rejection.'),
  disc('06', 'A listener that never settles: boot ends within its limit and a late announcement is refused.'),
  disc('07', 'A throwing `tools` function costs that provider only.'),
  disc('08', 'A list that is null, no array or never comes leaves the others listing and calling.'),
  disc('09', 'A tool that throws a non-error fails, and nothing crashes.'),
  disc('10', 'Of two plugins with one appId the first by configuration wins; the finding names both.'),
  disc('11', '`Foo` and `foo` are one appId.'),
  disc('12', 'Plugin B announcing as A is rejected; A is not affected.'),
  disc('13', 'Nobody but the host claims `rollcall`.'),
  disc('14', 'A legacy descriptor with a foreign prefix is absent and not callable.'),
  disc('15', 'A tool whose title equals the name of another: calls reach the right owner.'),
  disc('16', 'A hundred demands at once cause one dispatch.'),
  disc('17', 'A demand inside a listener is `CATALOGUE_NOT_READY`, attributed to its plugin.'),
  disc(
    '18',
    'Container alias missing, of the wrong type, throwing, found by the second or third candidate: silent, warned, warned, found, found.',
  ),
  disc('19', 'The memory of the scan: cold, warm, reordered, changed version, corrupt, and its time limits.'),
  disc('20', 'An upgrade that adds a provider is found at once.'),
  disc('21', 'A remembered winner that is gone is looked for again at once.'),
  disc('22', 'A plugin added at run time hears the event alone; the generation grows and consumers are told.'),
  disc('23', 'A removed plugin takes its tools away; calls in flight finish, later ones are `TOOL_GONE`.'),
  disc('24', 'Five hundred plugins with one that hangs stay within the limits.'),
  disc('25', 'A dry run reports, changes nothing and starts no process.'),
  disc('26', 'Listeners settling in any order give the same winners and the same catalogue.'),
  disc('27', 'A configured server wins over a plugin of its appId; words without a server apply to the plugin.'),
  disc('28', 'Without the legacy folder the host builds and runs.'),

  sec('01', 'built', 'What a zone denies as a tool is denied as resource, prompt and completion too.'),
  sec(
    '02',
    'built',
    'A changed launch, or another owner of an appId, starts nothing, offers nothing and inherits no switch or grant.',
  ),
  sec('03', 'built', 'A changed definition or an edited lock file is noticed before the call is sent.'),
  sec('04', 'partly', 'One connection never mixes the state or identity of two people.', "each caller's own token"),
  sec('05', 'built', 'A server request on a shared connection never reaches the wrong person.'),
  sec(
    '06',
    'partly',
    'A plugin can not set class, effect, approval, secrets or command for itself.',
    'imports and API',
  ),
  sec('07', 'built', 'A configuration found in a folder that nobody trusts runs nothing.'),
  sec(
    '08',
    'partly',
    'Keyless access needs every one of its conditions; an unlisted profile looks unknown.',
    'OIDC and PostgreSQL conditions',
  ),
  sec(
    '09',
    'built',
    'An agent with a shell can not approve its own call, nor a client that accepts whatever it is asked.',
  ),
  sec('10', 'built', 'What was approved is what runs.'),
  sec('11', 'partly', 'Nothing on a card can lie about it.', 'cards in the console'),
  sec('12', 'built', 'Schemas can not be used as weapons.'),
  sec('13', 'built', 'Artifacts belong to their owner and are redacted whole.'),
  sec(
    '14',
    'partly',
    'Secret data read by one tool does not leave through another.',
    'in a run, which does not exist yet',
  ),
  sec(
    '15',
    'partly',
    'Fetches can not be turned against the machine.',
    'the fetches of OAuth, JWKS and OpenAPI, which do not exist yet',
  ),
  sec('16', 'partly', 'Tokens never reach a server they were not issued for.', 'OAuth: issuer, state, PKCE, resource'),
  sec('17', 'open', 'Imports bring no shell, launcher trick or loader variable.'),
  sec(
    '18',
    'built',
    'A manifest entry stays inside its package; a discovered dependency is held new; a guardrail runs by the operator’s word, bounded.',
  ),
  sec('19', 'built', 'Outgoing annotations are never looser than the operator’s words.'),
  sec('20', 'open', 'Search and meta-tools leak no hidden tool.'),
  sec('21', 'partly', 'No client starves the others.', 'floods of denials; one limit for two replicas'),
  sec('22', 'built', 'The audit can be checked.'),
  sec(
    '23',
    'partly',
    'Secrets at rest are sealed; rotation loses none; an old row put back is refused.',
    'conversations and tokens, which do not exist yet',
  ),
  sec(
    '24',
    'partly',
    'Four eyes are two persons; revocation reaches open streams.',
    'claim maps of an identity provider',
  ),
  sec('25', 'built', 'Reserved fields of clients are stripped; lists are private.'),
  sec('26', 'built', 'A broad allow never wins over a deny.'),
  sec('27', 'built', 'A check in CI starts nothing that was not accepted.'),
  sec('28', 'open', 'First-party plugins withstand hostile input.'),
  sec('29', 'partly', 'No control character of a server reaches a terminal or a log.', 'the console'),
  sec('30', 'built', 'Injection in any field is held or flagged.'),
  sec('31', 'open', 'No route is unguarded.'),

  gov('01', 'The gate is pure; the first denial in its order is the one reported.'),
  gov('02', 'A call is recorded whole: proposed, gated, started, ended; a write is recorded before it starts.'),
  gov('03', 'A decided call is executed at most once, however often and from wherever it is resumed.'),
  gov(
    '04',
    'An answer after a decision, an expiry or a cancel, for other binds or an unknown id has a coded answer and no effect.',
  ),
  gov('05', 'A write that began and has no known end is `unknown`; a read is failed or cancelled.'),
  gov('06', 'An off stays off for owner, appId and name; an on holds for one digest.'),
  gov('07', 'Arguments are never read as `{}`, and what is executed is what was gated.'),
  gov(
    '09',
    'A write that began in a process that died waits for a person as `unknown`, and is never repeated by itself.',
  ),
  gov('10', 'Configured rules tighten anything and loosen only an ask; the strictest that matches counts.'),
  gov(
    '11',
    'A rule on arguments or on what was read counts as asking while tools are offered, and allows nothing then.',
  ),
  gov('12', 'What a consumer has read leaves only where its class may go: asked about, or denied next to secrets.'),
  gov('13', 'A zone only looks on by an explicit word, and never for external tools.'),
  gov('14', 'The operator adds classes and zones; what is built in stays as it is.'),
  gov(
    '15',
    'A grant covers one tool, definition, principal and profile, for at most 8 hours, and loosens an ask only.',
  ),
  gov('16', 'Four eyes are two persons; saying no stays allowed.'),
  gov(
    '17',
    'Recorded calls are replayed against another configuration; what depends on what was not kept is undecidable.',
  ),
  gov('20', 'PostgreSQL keeps what SQLite and memory keep, under one contract, for many processes at once.'),
  gov('21', 'A database that is newer, away or refuses is told by a code, without its address or password.'),
  gov('23', 'Of each column and each kind of setting one table says whether it is sealed, hashed or plain.'),
  gov('24', 'A sealed store opens with its keys only; without one nothing is read, written or changed.'),
  gov('25', 'A sealed value opens in its own row, column and version, and nowhere else.'),
  gov('26', 'A rotation seals all by the new key, beside others and over a kill, and loses nothing.'),
  gov('22', 'A backup holds a whole store as of one moment and is restored into an empty one of any kind, or refused.'),
  gov('40', 'A key is kept without its secret, and lets its holder in as a principal of its own.'),
  gov('41', 'A key opens the profiles it is bound to; wrong, expired and revoked ones are nobody, all alike.'),
  gov('42', 'What a key has open ends within 5 seconds of its end, whichever process revoked it.'),
  gov('43', 'A yes comes by the channels of its profile alone, and the record says by which; a no by any.'),
  gov('44', 'Where `by` names who approves, nobody else does, admins included, until `escalateAfterMs` is over.'),
  gov(
    '45',
    'A client that the operator named puts the card before its person; the code on it is the only yes, once, and four eyes refuse it.',
  ),
  gov(
    '46',
    'A webhook gets the card of each waiting call once, signed and without secrets, and again when it escalates.',
  ),
  gov('47', 'The holder of a key that may approve decides without a terminal, by the code of the card.'),
  gov('50', 'A model gets the text of a result up to a bound, cut at a character, and can read on.'),
  gov('51', 'Each read of a kept result passes the gate as the tool it came from, for its owner alone.'),
  gov('52', 'Kept results take at most 100 MB a principal and 7 days.'),
  gov('53', 'Secrets of known shapes are taken out of the whole result before it is cut or kept.'),
  gov('54', 'A tool that asks a person waits for the values, and runs with them and what its caller said.'),
  gov('55', 'What a model says for such a value is dropped, and no model is shown that there is one.'),
  gov(
    '56',
    'Values are checked by the form before anything is claimed; only declared ones count; else the call waits on.',
  ),
  gov('57', 'A call is approved whole, after its values, where it needs that.'),
  gov('58', 'A form is refused, expires, goes stale and outlives its process as an approval does.'),
  gov('59', 'A form that asks for a secret is none.'),
  gov('60', 'Every event is a link of the chain of its writer; a conflict makes none.'),
  gov('61', 'The audit is cut after a time and can still be checked; what is not over stays.'),
  gov('62', 'A changed, removed, inserted or recomputed row is found and located with the public key alone.'),
  gov('63', 'The audit tells each proposed call once, how it ended and who decided; never arguments or results.'),
  gov(
    '64',
    'A call has a span by the GenAI and MCP conventions, and one of the gate; neither holds arguments or results.',
  ),
  gov('65', 'A call is a part of the trace of its client, and what a server does of the call.'),
  gov('70', 'A waiting call is waited for again by a handle that is of use to its maker alone and decides nothing.'),
  gov('71', 'An equal repeat by the same client gets the outcome of the call, never a second execution.'),
  gov('80', 'Verdict and record of a call are the same from the library, the command and MCP over stdio and HTTP.'),
  gov('08', 'One principal can not hold all places of a provider while others wait.'),

  gov('30', 'Guardrails are collected as tool providers are: isolated, closed, and a fault costs the guardrails only.'),
  gov('31', 'A guardrail of a plugin runs only if the configuration names it; a name that nobody offers is a finding.'),
  gov(
    '32',
    'A mandatory guardrail that throws, hangs or is missing denies; another one is passed over with a finding.',
  ),
  gov('33', 'Each redaction is what the next guardrail reads, deny after redact denies, and a retry is told once.'),
  gov('34', 'Redacted JSON stays JSON.'),
  gov('35', 'Guardrails deny arguments or put them before a person, and never rewrite them; the record says who.'),
  gov(
    '36',
    'Results, answers, errors, logs and records hold no secret of a known shape, and a denied result is withheld.',
  ),
  gov('37', 'Text in a result that poses as instructions is fenced and flagged; structured content is flagged only.'),
  gov('38', 'A stream is redacted as its whole text would be, wherever it is cut, and no part of a secret is shown.'),
]
