/**
 * Every error code: when it occurs and how to fix it. The type of codes, the documentation page and the test that
 * provokes each one are made from this table.
 */
export const errorTable = {
  CONFIG_INVALID: {
    when: 'The configuration, or an option given in code, breaks a rule.',
    fix: 'Correct every path the message lists; nothing was started.',
  },
  CONFIG_UNTRUSTED: {
    when: 'A configuration was found in a folder that nobody has trusted, so it is read as data only.',
    fix: 'Look at the file, then run `rollcall trust <folder>` or name it with `--config`.',
  },
  VARIABLE_MISSING: {
    when: 'A `${VAR}` has no value and no default, or an announcement names one that it may not read.',
    fix: 'Set the variable, give `${VAR:-default}`, or list its name in `secrets.allow`.',
  },
  SECRET_MISSING: {
    when: 'A secret that a server needs is not set, or may not be read by whoever asks for it.',
    fix: 'Set the environment variable or file that the message names.',
  },
  PLUGIN_NOT_FOUND: {
    when: 'A plugin of the configuration is neither a folder nor an installed package.',
    fix: 'Install the package or correct the name; the message has the nearest match.',
  },
  PLUGIN_INVALID: {
    when: 'The manifest is broken, its entry lies outside the package or does not load, or the default export is no plugin.',
    fix: 'Correct what the message names in `package.json#rollcall` or the entry file.',
  },
  PLUGIN_DUPLICATE: {
    when: 'Two packages declare one appId, or one package is configured twice.',
    fix: 'Remove one of the two paths from `plugins`.',
  },
  PLUGIN_API_MISMATCH: {
    when: 'The `api` range of the manifest excludes the plugin API of this host.',
    fix: 'Update the plugin or the host so that the range includes the version named.',
  },
  PLUGIN_NEW: {
    when: 'A dependency that carries the keyword was discovered and nobody has accepted it.',
    fix: 'Run `rollcall enable <package>`.',
  },
  PLUGIN_SETUP_FAILED: {
    when: 'The `setup` (or legacy `register`) of a plugin threw.',
    fix: 'Read the causes; the fault lies in the plugin.',
  },
  PLUGIN_TIMEOUT: {
    when: 'The `setup` of a plugin did not finish within `pluginTimeoutMs`.',
    fix: 'Do slow work when a tool is called, or raise `pluginTimeoutMs`.',
  },
  LISTENER_FAILED: {
    when: 'A listener threw; what it had announced is discarded.',
    fix: 'Read the causes; the fault lies in the plugin.',
  },
  LISTENER_TIMEOUT: {
    when: 'A listener did not settle within `pluginTimeoutMs`; what it had announced is discarded.',
    fix: 'Make `tools` a function instead of fetching in the listener, or raise `pluginTimeoutMs`.',
  },
  REGISTRATION_CLOSED: {
    when: 'A plugin announced after its listener had settled or timed out.',
    fix: 'Announce before the listener returns; await what it starts.',
  },
  CATALOGUE_NOT_READY: {
    when: 'A listener asked for the catalogue that is being made from its answer.',
    fix: 'Ask when a tool is called, or listen to `ToolsChanged`.',
  },
  PROVIDER_DUPLICATE: {
    when: 'A second claim was laid to an appId; the first by configuration order keeps it.',
    fix: 'Rename one appId, or remove one of the two.',
  },
  PROVIDER_SUPERSEDED: {
    when: 'A container alias exists beside an announced provider of the same appId.',
    fix: 'Remove the alias: the listener has replaced it.',
  },
  PROVIDER_FOREIGN: {
    when: 'A plugin announced an appId that is not in its manifest.',
    fix: 'Add the appId to `package.json#rollcall.appId`, or announce under your own.',
  },
  PROVIDER_RESERVED: {
    when: 'An appId is reserved for the host.',
    fix: 'Choose another appId.',
  },
  PROVIDER_INVALID: {
    when: 'An announcement is malformed: unknown kind, no tools, a bad appId or server declaration.',
    fix: 'Correct what the message names.',
  },
  PROVIDER_UNKNOWN: {
    when: 'The configuration has words about an appId that nobody holds.',
    fix: 'Correct the appId, or add the plugin or server that offers it.',
  },
  PROVIDER_LIST_FAILED: {
    when: 'Listing the tools of a provider threw, timed out or gave something that is no list.',
    fix: 'Read the causes; the other providers are not touched.',
  },
  PROVIDER_HELD: {
    when: 'A provider is known but must not be used yet.',
    fix: 'Run the command that the hint names.',
  },
  LEGACY_ALIAS: {
    when: 'A plugin was found by its container alias only.',
    fix: 'Move it to a listener of `RegisterToolProvidersEvent`.',
  },
  LEGACY_CANDIDATE_INVALID: {
    when: 'A candidate of the legacy scan has the wrong type or its factory threw; the next one is tried.',
    fix: 'Correct the provider that the message names.',
  },
  LEGACY_SCAN_FAILED: {
    when: 'The legacy scan failed as a whole; what was announced stands.',
    fix: 'Read the causes.',
  },
  SERVICE_NOT_FOUND: {
    when: 'An unmigrated plugin asked its container for an alias that neither it nor the host registered.',
    fix: 'Ask `has` first, or give the service to the host with `createHost({ services })`.',
  },
  TOOL_INVALID: {
    when: 'A tool breaks a rule of names, descriptions or schemas and is dropped.',
    fix: 'Correct what the message names; the other tools of the provider are kept.',
  },
  TOOL_SUSPICIOUS: {
    when: 'Hidden characters, or text that reads like instructions to a model, stand in a definition.',
    fix: 'Read the escaped text; a server that is trusted is accepted with `rollcall sync --accept <id>`.',
  },
  TOOL_NAME_MET: {
    when: 'Two tools of one provider have the same name, or their public names met.',
    fix: 'Rename one of the two at its source.',
  },
  TOOL_CLASS_MISSING: {
    when: 'A tool states no data class or effect, so the strictest is taken.',
    fix: 'Add `dataClass` and `effect` at the place that the message names.',
  },
  TOOL_NOT_FOUND: {
    when: 'No tool of that name is in the catalogue.',
    fix: 'Run `rollcall tools`, or `rollcall why <tool>`.',
  },
  TOOL_GONE: {
    when: 'The tool was in an earlier generation of the catalogue and is not in this one.',
    fix: 'List the tools again.',
  },
  TOOL_HELD: {
    when: 'The tool is listed but held: off, new, drifted, launched otherwise or without a preset.',
    fix: 'Run the command that the hint names.',
  },
  TOOL_DENIED: {
    when: 'A rule of the gate denies the call.',
    fix: 'Run `rollcall why <tool> --profile <profile>`.',
  },
  TOOL_ARGUMENTS_INVALID: {
    when: 'The arguments are no JSON object or do not fit the input schema of the tool.',
    fix: 'Correct the paths that the message names.',
  },
  TOOL_FAILED: {
    when: 'The tool threw, or answered that it failed.',
    fix: 'Read the message: it is the tool speaking.',
  },
  TOOL_TIMEOUT: {
    when: 'A reading tool did not answer within its time.',
    fix: 'Repeat it, or raise `timeoutMs`.',
  },
  TOOL_OUTCOME_UNKNOWN: {
    when: 'A write began and timed out, was cancelled or lost its connection: it may have happened.',
    fix: 'Look at the target before you repeat it.',
  },
  BUSY: {
    when: 'Too many calls wait for this provider.',
    fix: 'Repeat it later.',
  },
  APPROVAL_PENDING: {
    when: 'The call waits for a person.',
    fix: 'A person decides it with `rollcall approvals`.',
  },
  APPROVAL_DENIED: {
    when: 'A person denied the call.',
    fix: 'Ask that person, or do without.',
  },
  APPROVAL_STALE: {
    when: 'The tool, its launch, the arguments or the preview are not what the person saw.',
    fix: 'Look at the new card and decide again.',
  },
  APPROVAL_DECIDED: {
    when: 'The call was decided, executed or cancelled before.',
    fix: 'Nothing to do: a decision is taken once.',
  },
  APPROVAL_EXPIRED: {
    when: 'Nobody decided the call in time.',
    fix: 'Make the call again.',
  },
  APPROVAL_SELF: {
    when: 'Whoever asked for a call wants to approve it, and its profile asks for four eyes.',
    fix: 'Have another person approve it, or deny it.',
  },
  APPROVAL_ROUTED: {
    when: 'A yes comes from somebody, or by a way, that the profile of the call does not take it from.',
    fix: 'Have it approved by whom "approvals.by" names, in one of "approvals.channels", or deny it.',
  },
  INPUT_INVALID: {
    when: 'What a person said about a waiting call does not fit the form of its tool.',
    fix: 'Correct the values that the message names; the call still waits.',
  },
  GRANT_REFUSED: {
    when: 'A yes was to be good for more than one call where it must not be, or for too long.',
    fix: 'Approve the one call; the message says what stands against more.',
  },
  AUDIT_KEY_INVALID: {
    when: 'The file with the key of the audit holds none, or can not be read.',
    fix: 'Restore `audit.key` from a backup, or name the right `--public-key`.',
  },
  KEY_INVALID: {
    when: 'A key is to be made of words that make none, or the key given is not good.',
    fix: 'Correct what the message names; what there is: `rollcall keys list`.',
  },
  RESULT_NOT_FOUND: {
    when: 'The rest of a cut result is asked for by a handle that is over, changed, or was given to somebody else.',
    fix: 'Make the call again: whole results are kept for 7 days.',
  },
  RULE_UNMATCHED: {
    when: 'A rule of the configuration is about no tool, prompt or resource that there is.',
    fix: 'Correct its `when`, or remove the rule.',
  },
  APPROVAL_NOT_FOUND: {
    when: 'No pending call has that id, or it belongs to somebody else.',
    fix: 'Run `rollcall approvals`.',
  },
  STORE_UNAVAILABLE: {
    when: 'The store can not be opened, read or written.',
    fix: 'Check the path, its permissions and the free space.',
  },
  STORE_NEWER: {
    when: 'The store was written by a newer Rollcall.',
    fix: 'Update Rollcall, or name another store.',
  },
  STORE_TAMPERED: {
    when: 'A sealed value of the store was changed, cut, or put where or when it does not belong.',
    fix: 'Find out who writes into the store besides Rollcall; restore a backup. It was left as it is.',
  },
  KEY_UNKNOWN: {
    when: 'The store is sealed by a key that is not given, or what is given is no key.',
    fix: 'Give it as `store.key`, or among `store.formerKeys`. Nothing was read, written or changed.',
  },
  STORE_NOT_EMPTY: {
    when: 'A backup is to be restored into a store that holds something.',
    fix: 'Set `store` to a new file or database, and restore into that.',
  },
  BACKUP_INVALID: {
    when: 'A file is no whole backup of a store: cut, changed, of another form, or not to be read or written.',
    fix: 'Name a file as `rollcall db backup` wrote it.',
  },
  SERVER_UNAVAILABLE: {
    when: 'An MCP server could not be started or reached, or left before it answered; nothing was sent.',
    fix: 'Read the end of its error output in the message, then `rollcall sync <id>`.',
  },
  SERVER_TIMEOUT: {
    when: 'An MCP server did not finish its handshake or its list in time.',
    fix: 'Raise `mcp.limits.connectTimeoutMs`, or look why it is silent.',
  },
  SERVER_PROTOCOL: {
    when: 'An MCP server answered with something that the protocol does not allow, or too much of it.',
    fix: 'Update the server, or report it to its author.',
  },
  SERVER_PINNED: {
    when: 'A configured server was listed for the first time and pinned in the lock file.',
    fix: 'Nothing to do; commit the lock file.',
  },
  LAUNCH_CHANGED: {
    when: 'How a server is launched, or who owns it, is not what was accepted; it was not started.',
    fix: 'Compare the declaration, then run `rollcall sync --accept <id>`.',
  },
  LAUNCH_UNPINNED: {
    when: 'A server is launched without a version, so that other code may run tomorrow.',
    fix: 'Write the version into its arguments.',
  },
  LAUNCH_REFUSED: {
    when: 'An announced server would start a command that the operator has not allowed.',
    fix: 'Add the beginning of its command line to `mcp.allowedCommands`.',
  },
  ADDRESS_REFUSED: {
    when: 'A fetch would reach an address that is link-local or hands out credentials, or a private one that is not allowed.',
    fix: 'Declare the server in your own configuration, or set `allowPrivateNetwork` for it.',
  },
  AMBIGUOUS_ORIGIN: {
    when: 'A server asked something, or a resource was named, and more than one session or server could be meant.',
    fix: 'Use the qualified address `<appId>+<uri>`; give the server an `isolation` of `principal` or `session`.',
  },
  CAPABILITY_MISSING: {
    when: 'A tool needs something that its caller can not do: sampling, elicitation or roots.',
    fix: 'Call it from a client that can, under a profile that allows it.',
  },
  FEATURE_NOT_FOUND: {
    when: 'There is no prompt of that name, or no resource or template of that address.',
    fix: 'List the prompts and resources again.',
  },
  FEATURE_DENIED: {
    when: 'A rule denies a prompt, resource, completion, sampling or elicitation request.',
    fix: "Look at the profile, the server's words and its holds.",
  },
  FEATURE_FAILED: {
    when: 'A server answered a request for a prompt, resource or completion with an error.',
    fix: 'Read the message: it is the server speaking.',
  },
  SHADOWING: {
    when: 'A text of one provider names a tool of another, so that it could steer how that one is used.',
    fix: 'Read the escaped text; a server that is trusted is accepted with `rollcall sync --accept <id>`.',
  },
  GUARDRAIL_DENIED: {
    when: 'A guardrail denies the arguments or the result of a call.',
    fix: 'Read its reason; which guardrails run stands under `guardrails` in the configuration.',
  },
  GUARDRAIL_FAILED: {
    when: 'A guardrail threw, took longer than two seconds or gave an answer that can not be read.',
    fix: 'The fault lies in its plugin. A mandatory one denies meanwhile; another is passed over.',
  },
  GUARDRAIL_INVALID: {
    when: 'A plugin announced a guardrail without a proper id, without any check, or twice.',
    fix: 'Announce { id, toolResult } with an id of small letters, digits and dashes.',
  },
  GUARDRAIL_UNKNOWN: {
    when: 'The configuration names a guardrail that no plugin offers. A mandatory one that is missing denies everything.',
    fix: 'Correct the name, `<plugin>/<id>` or one of those shipped, or add its plugin.',
  },
  DEFINITION_CHANGED: {
    when: 'A tool is not what was accepted: its server changed it, or the lock file was edited.',
    fix: 'Look at it, then run `rollcall sync --accept <id>`.',
  },
  LOCK_INVALID: {
    when: 'The lock file can not be read, or is of another version.',
    fix: 'Restore it from version control, or remove it and run `rollcall sync`.',
  },
  SERVE_REFUSED: {
    when: 'The server face may not answer: not keyless from here, or the profile is not served.',
    fix: 'Serve on loopback without a proxy, and list the profile in `http.keyless`.',
  },
  PORT_IN_USE: {
    when: 'The address to listen on is taken or not allowed.',
    fix: 'Stop the other program, or set `http.port`.',
  },
  HOST_CLOSED: {
    when: 'The host is closed or closing.',
    fix: 'Make a new host.',
  },
  USAGE: {
    when: 'A command line is not understood, or a needed answer is missing without a terminal.',
    fix: 'Run the command with `--help`.',
  },
  FILE_EXISTS: {
    when: 'A command would overwrite a file that it did not make.',
    fix: 'Choose another folder or name.',
  },
  NODE_UNSUPPORTED: {
    when: 'The Node that runs is older than what Rollcall needs.',
    fix: 'Run it through pnpm in the project, or install Node 22.13 or newer.',
  },
} as const satisfies { readonly [code: string]: { readonly when: string; readonly fix: string } }
