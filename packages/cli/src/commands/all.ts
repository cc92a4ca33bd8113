import { type Command, Option } from 'commander'
import type { Run } from '../program.ts'
import type { StandardOutput } from '../standard-output.ts'

/** How commands are started. */
export interface Runner {
  readonly output: StandardOutput
  /** The command line has a `--`. */
  readonly hasDoubleDash: boolean
  run(command: Command, run: Run): Promise<void>
}

/** Puts every command on the program, by group; a command's code is loaded when it runs. */
export function addCommands(program: Command, runner: Runner): void {
  look(program, runner)
  calls(program, runner)
  servers(program, runner)
  decide(program, runner)
  operate(program, runner)
  write(program, runner)
}

function look(program: Command, { run }: Runner): void {
  program.commandsGroup('Look:')
  program
    .command('status')
    .description('one screen: what needs you first')
    .action((_options, command) => run(command, async (context) => (await import('./status.ts')).status(context)))
  program
    .command('plugins')
    .description('who answered the roll, and how')
    .action((_options, command) => run(command, async (context) => (await import('./plugins.ts')).plugins(context)))
  program
    .command('tools')
    .description('every tool: ready, off or held')
    .option('--off', 'only those that are off or held, with the reason')
    .action((options, command) => run(command, async (context) => (await import('./tools.ts')).tools(context, options)))
  program
    .command('listeners')
    .description('each listener, its time and its outcome')
    .action((_options, command) => run(command, async (context) => (await import('./listeners.ts')).listeners(context)))
  program
    .command('report')
    .description('every finding, with its causes and what to do')
    .action((_options, command) => run(command, async (context) => (await import('./report.ts')).report(context)))
  program
    .command('why')
    .description('every vote of the gate about a tool')
    .argument('<tool>', 'its name: <appId>__<tool>')
    .option('--profile <name>', 'for a consumer of this profile')
    .action((tool, options, command) =>
      run(command, async (context) => (await import('./why.ts')).why(context, tool, options)),
    )
}

function calls(program: Command, { run }: Runner): void {
  program.commandsGroup('Call:')
  program
    .command('call')
    .description('call a tool')
    .argument('<tool>', 'its name: <appId>__<tool>')
    .argument('[arguments...]', 'key=value pairs, or one JSON object')
    .option('--profile <name>', 'under the rules of this profile')
    .option('--approve', 'approve it yourself, without being asked')
    .action((tool, words, options, command) =>
      run(command, async (context) => (await import('./call.ts')).call(context, tool, words, options)),
    )
}

function servers(program: Command, { run, hasDoubleDash }: Runner): void {
  program.commandsGroup('Servers and switches:')
  program
    .command('add')
    .description('add an MCP server: <id> <npm package> | <url> | -- <command> <argument>…')
    .argument('<id>', 'its appId')
    .argument('<source...>', 'an npm package, an address, or a command line after --')
    .option('--preset <name>', 'what it is, in one word (rollcall presets)')
    .option('--yes', 'accept what is proposed about its tools')
    .action((id, words, options, command) =>
      run(command, async (context) =>
        (await import('./add.ts')).add(context, id, words, { ...options, isCommandLine: hasDoubleDash }),
      ),
    )
  program
    .command('remove')
    .description('take a server out of the configuration')
    .argument('<id>', 'its appId')
    .action((id, _options, command) =>
      run(command, async (context) => (await import('./remove.ts')).remove(context, id)),
    )
  program
    .command('sync')
    .description('list servers and compare them with what was accepted')
    .argument('[id...]', 'appIds; all when none is named')
    .option('--accept', 'accept what they are now')
    .option('--check', 'change nothing; exit 1 where a server drifted, 3 where it would be launched otherwise')
    .action((ids, options, command) =>
      run(command, async (context) => (await import('./sync.ts')).sync(context, ids, options)),
    )
  program
    .command('enable')
    .description('switch a tool or group on, or accept a discovered package')
    .argument('<target>', 'a tool, group:<name>, or a package')
    .action((target, _options, command) =>
      run(command, async (context) => (await import('./enable.ts')).enable(context, target)),
    )
  program
    .command('disable')
    .description('switch a tool or group off')
    .argument('<target>', 'a tool, group:<name>, or a package')
    .action((target, _options, command) =>
      run(command, async (context) => (await import('./disable.ts')).disable(context, target)),
    )
  program
    .command('preset')
    .description('say in one word what a server is')
    .argument('<id>', 'its appId')
    .argument('<preset>', 'one of rollcall presets')
    .action((id, word, _options, command) =>
      run(command, async (context) => (await import('./preset.ts')).preset(context, id, word)),
    )
  program
    .command('presets')
    .description('the words there are')
    .action((_options, command) => run(command, async (context) => (await import('./presets.ts')).presets(context)))
}

function decide(program: Command, { run }: Runner): void {
  program.commandsGroup('Decide:')
  program
    .command('approvals')
    .description('what waits for a person, and what is granted')
    .option('--revoke <grant>', 'take a grant back')
    .action((options, command) =>
      run(command, async (context) => (await import('./approvals.ts')).approvals(context, options)),
    )
  program
    .command('approve')
    .description('look at a waiting call and approve it')
    .argument('<call>', 'its id, or the end of it')
    .option('--for <time>', 'and the next calls of the tool: 30m, at most 8h, or "session"')
    .option('--exact', 'with --for: only calls with these very arguments')
    .option('--code <code>', 'the code on its card, for the holder of a key (ROLLCALL_KEY) without a terminal')
    .action((id, options, command) =>
      run(command, async (context) => (await import('./approve.ts')).approve(context, id, options)),
    )
  program
    .command('input')
    .description('values that only a person may supply: what waits for them, or to give them')
    .argument('[call]', 'its id, or the end of it')
    .argument('[values...]', 'key=value pairs, or one JSON object; otherwise each is asked for')
    .action((id, words, _options, command) =>
      run(command, async (context) => (await import('./input.ts')).input(context, id, words)),
    )
  program
    .command('deny')
    .description('refuse a waiting call')
    .argument('<call>', 'its id, or the end of it')
    .option('--reason <text>', 'told to whoever asked')
    .action((id, options, command) =>
      run(command, async (context) => (await import('./deny.ts')).deny(context, id, options)),
    )
}

function operate(program: Command, { run, output }: Runner): void {
  program.commandsGroup('Operate:')
  program
    .command('start')
    .description('call the roll, serve it, and say what came of it')
    .action((_options, command) => run(command, async (context) => (await import('./start.ts')).start(context)))
  program
    .command('serve')
    .description('serve MCP clients')
    .option('--stdio', 'one client, over standard input and output')
    .option('--profile <name>', 'with --stdio: the rules of that client (default: default)')
    .option('--bare <id>', "only this provider, under its server's own names")
    .option('--linger <seconds>', 'with --stdio: how long the shared host stays after its last client (default: 60)')
    .addOption(new Option('--local', 'the shared host itself').hideHelp())
    .action((options, command) =>
      run(command, async (context) => (await import('./serve.ts')).serve(context, { ...options, output })),
    )
  const audit = program
    .command('audit')
    .description('the calls that were made; export, verify, prune')
    .helpCommand(false)
    .option('--since <time>', 'only the last 12h, 30d …')
    .option('--tool <name>', 'only this tool')
    .option('--status <status>', 'ok, failed, denied, cancelled, unknown or open')
    .option('--content', 'with --json: what was kept of arguments and outcomes, too')
    .action((options, command) => run(command, async (context) => (await import('./audit.ts')).audit(context, options)))
  audit
    .command('export')
    .description('all of it, to standard output')
    .option('--format <format>', 'jsonl (default) or csv')
    .option('--since <time>', 'only the last 12h, 30d …')
    .option('--content', 'what was kept of arguments and outcomes, too')
    .action((_options, command) =>
      run(command, async (context) =>
        // What "audit" takes, too, is read by it, wherever it stands.
        (await import('./audit.ts')).exportAudit(context, command.optsWithGlobals()),
      ),
    )
  audit
    .command('verify')
    .description('whether the events are those that were written; exit 1 where not')
    .option('--public-key <file>', 'audit.pub of the state folder, in PEM')
    .action((options, command) =>
      run(command, async (context) => (await import('./audit.ts')).verify(context, options)),
    )
  audit
    .command('prune')
    .description('remove old calls that are over')
    .requiredOption('--before <time>', 'older than 30d …')
    .action((options, command) => run(command, async (context) => (await import('./audit.ts')).prune(context, options)))
  audit
    .command('sinks')
    .description('where records are sent, and how far each is behind')
    .action((_options, command) => run(command, async (context) => (await import('./audit.ts')).sinks(context)))
  const keys = program
    .command('keys')
    .description('who may call over the network: add, list, revoke')
    .helpCommand(false)
  keys
    .command('add')
    .description('make a key; it is shown once')
    .requiredOption('--person <name>', 'whose it is; one person may have several')
    .requiredOption('--profile <name...>', 'the profiles that it may use')
    .option('--scope <scope...>', 'tools:call (default), runs:start, runs:read, runs:cancel, runs:approve')
    .option('--service', 'of a program, not of a person')
    .option('--admin', 'may use what is for administrators')
    .option('--expires <time>', 'is good for 12h, 90d …; otherwise until it is revoked')
    .option('--label <text>', 'what it is for')
    .action((options, command) => run(command, async (context) => (await import('./keys.ts')).addKey(context, options)))
  keys
    .command('list')
    .description('the keys there are')
    .action((_options, command) => run(command, async (context) => (await import('./keys.ts')).listKeys(context)))
  keys
    .command('revoke')
    .description('make a key good for nothing')
    .argument('<id>', 'its id')
    .action((id, _options, command) =>
      run(command, async (context) => (await import('./keys.ts')).revokeKey(context, id)),
    )
  const db = program
    .command('db')
    .description('the store: migrate, status, backup, restore, rotate-key')
    .helpCommand(false)
  db.command('migrate')
    .description('bring its tables up to date')
    .action((_options, command) => run(command, async (context) => (await import('./db.ts')).migrate(context)))
  db.command('status')
    .description('what it is, and how much is in it')
    .action((_options, command) => run(command, async (context) => (await import('./db.ts')).status(context)))
  db.command('backup')
    .description('write it into a new file')
    .argument('<file>', 'the file to make')
    .action((file, _options, command) =>
      run(command, async (context) => (await import('./db.ts')).backup(context, file)),
    )
  db.command('restore')
    .description('fill the empty store of the configuration from a backup')
    .argument('<file>', 'the backup')
    .action((file, _options, command) =>
      run(command, async (context) => (await import('./db.ts')).restore(context, file)),
    )
  db.command('rotate-key')
    .description('bring what is sealed, and what is to be, under a new key')
    .action((_options, command) => run(command, async (context) => (await import('./db.ts')).rotateKey(context)))
  program
    .command('what-if')
    .description('what another configuration (--config) would have said of recorded calls')
    .option('--since <time>', 'only the last 12h, 30d …')
    .action((options, command) =>
      run(command, async (context) => (await import('./what-if.ts')).whatIf(context, options)),
    )
  program
    .command('config')
    .description('the configuration as it counts')
    .action((_options, command) => run(command, async (context) => (await import('./config.ts')).config(context)))
  program
    .command('trust')
    .description('trust a configuration as it is now')
    .argument('[folder]', 'where it lies; otherwise searched from here upward')
    .action((folder, _options, command) =>
      run(command, async (context) => (await import('./trust.ts')).trust(context, folder)),
    )
}

function write(program: Command, { run }: Runner): void {
  program.commandsGroup('Write:')
  program
    .command('new')
    .description('begin something: a plugin')
    .helpCommand(false)
    .command('plugin')
    .description('a small plugin that works as it stands')
    .argument('<name>', 'its appId')
    .option('--dir <path>', 'the folder to make; otherwise ./<name>')
    .action((name, options, command) =>
      run(command, async (context) => (await import('./new-plugin.ts')).newPlugin(context, name, options)),
    )
}
