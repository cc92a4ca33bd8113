import { type EventClass, type Finding, type Logger, RollcallError } from '@rollcall/plugin'
import { type TogetherOptions, timeOutText } from '../isolation/run-together.ts'
import type { LoadedPlugin, PluginFailure } from '../plugins/loaded-plugin.ts'
import { pluginFailure } from '../plugins/plugin-failure.ts'
import { pluginFinding } from '../plugins/plugin-finding.ts'
import { type Announceable, type AnnounceView, type Announcing, createAnnounceView } from './announce-view.ts'
import { type Answer, collect, type ListenerReport } from './collect.ts'
import type { Bus } from './create-bus.ts'

export interface GatherOptions extends TogetherOptions {
  readonly bus: Bus
  readonly plugins: readonly LoadedPlugin[]
  readonly hostApi: string
  readonly logger: Logger
  /** Told of an announcement that comes when the dispatch is over. */
  onLateFinding?(finding: Finding): void
}

/** Everything by configuration order, never by arrival. */
export interface Gathered<Item> {
  readonly items: readonly Item[]
  /** Without those that a failure carries. */
  readonly findings: readonly Finding[]
  readonly listeners: readonly ListenerReport[]
  /** Plugins of which nothing stands, because of a fault of theirs. */
  readonly failures: readonly PluginFailure[]
}

/** An event that asks plugins for something, whatever that is. */
export interface Asked<Given, Item> extends Announceable<Given, Item> {
  readonly event: EventClass<Announcing<Given>>
  /** What a plugin loses by a fault, for a person: `tools`. */
  readonly lost: string
  /** What to do about a listener that takes too long. */
  readonly tooSlow: string
}

/**
 * Asks plugins what they have to announce. A listener that throws or runs late loses what it announced in this
 * dispatch; all others stand. Never rejects.
 */
export async function gather<Given, Item>(asked: Asked<Given, Item>, options: GatherOptions): Promise<Gathered<Item>> {
  const { bus, plugins, hostApi, logger, onLateFinding, ...limits } = options
  const lateFindings: Finding[] = []
  let isOver = false
  const onLate = (plugin: LoadedPlugin, error: RollcallError) => {
    const finding = pluginFinding(plugin, error, 'announce')
    logger.warn('announced too late', { plugin: plugin.name, code: finding.code })
    if (isOver) onLateFinding?.(finding)
    else lateFindings.push(finding)
  }

  const answers = await collect(bus, asked.event, {
    ...limits,
    plugins,
    makeView: (plugin, signal) =>
      createAnnounceView(plugin, { hostApi, signal, takes: asked, onLate: (error) => onLate(plugin, error) }),
  })
  isOver = true

  const results = [...Map.groupBy(answers, ({ plugin }) => plugin)].map(([plugin, own]) =>
    settle(plugin, own, asked, limits),
  )
  for (const { plugin, faults } of results)
    for (const { code } of faults) logger.warn('a listener failed', { plugin: plugin.name, code })
  return {
    items: results.flatMap(({ items }) => items),
    findings: [...results.flatMap(({ findings }) => findings), ...lateFindings],
    listeners: answers.map(({ report }) => report),
    failures: results.flatMap(({ failure }) => failure ?? []),
  }
}

/** What stands of one plugin's listeners. */
function settle<Given, Item>(
  plugin: LoadedPlugin,
  answers: readonly Answer<AnnounceView<Given, Item>>[],
  asked: Asked<Given, Item>,
  limits: TogetherOptions,
) {
  const items = answers.flatMap(({ fault, view }) => (fault === undefined ? (view?.items ?? []) : []))
  const faults = answers.flatMap((answer) => faultsOf(answer, asked, limits))
  const [first, ...others] = faults
  const isLost = items.length === 0 && first !== undefined
  const reported = isLost ? others : faults
  const durationMs = Math.max(...answers.map(({ report }) => report.durationMs))
  return {
    plugin,
    items,
    faults,
    failure: isLost ? pluginFailure(plugin, first, { phase: 'announce', durationMs }) : undefined,
    findings: reported.map((error) => pluginFinding(plugin, error, 'announce')),
  }
}

function faultsOf<Given, Item>(
  { plugin, fault, view }: Answer<AnnounceView<Given, Item>>,
  { lost, tooSlow }: Asked<Given, Item>,
  limits: TogetherOptions,
): readonly RollcallError[] {
  const refusals = view?.refusals ?? []
  // A refusal that the listener didn't catch is why it failed: one fault, told once.
  if (fault === undefined || refusals.some((refusal) => refusal === fault.error)) return refusals
  if (fault.kind === 'timedOut')
    return [
      new RollcallError(
        'LISTENER_TIMEOUT',
        `${plugin.name}: its listener ${timeOutText(fault, limits, 'listeners')}, so its ${lost} are missing.`,
        { hint: tooSlow },
      ),
      ...refusals,
    ]
  const failed = new RollcallError(
    'LISTENER_FAILED',
    `${plugin.name}: its listener failed, so its ${lost} are missing: ${fault.message}`,
    { hint: `The fault lies in the listener of ${plugin.from}; the causes and its log tell more.`, cause: fault.error },
  )
  return [failed, ...refusals]
}
