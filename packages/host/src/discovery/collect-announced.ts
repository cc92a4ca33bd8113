import { type Finding, type Logger, RegisterToolProvidersEvent, RollcallError } from '@rollcall/plugin'
import { type Answer, collect, type ListenerReport } from '../events/collect.ts'
import type { Bus } from '../events/create-bus.ts'
import { type TogetherOptions, timeOutText } from '../isolation/run-together.ts'
import type { LoadedPlugin, PluginFailure } from '../plugins/loaded-plugin.ts'
import { pluginFailure } from '../plugins/plugin-failure.ts'
import { pluginFinding } from '../plugins/plugin-finding.ts'
import { type AnnounceView, createAnnounceView } from './announce-view.ts'
import type { Announcement } from './announcement.ts'

export interface CollectAnnouncedOptions extends TogetherOptions {
  readonly bus: Bus
  readonly plugins: readonly LoadedPlugin[]
  readonly hostApi: string
  readonly logger: Logger
  /** Told of an announcement that comes when the dispatch is over. */
  onLateFinding?(finding: Finding): void
}

/** Everything by configuration order, never by arrival. */
export interface CollectedAnnouncements {
  readonly announcements: readonly Announcement[]
  /** Without those that a failure carries. */
  readonly findings: readonly Finding[]
  readonly listeners: readonly ListenerReport[]
  /** Plugins of which nothing stands, because of a fault of theirs. */
  readonly failures: readonly PluginFailure[]
}

/**
 * Asks plugins what tools they provide. A listener that throws or runs late loses what it announced in this dispatch;
 * all others stand. Never rejects.
 */
export async function collectAnnounced(options: CollectAnnouncedOptions): Promise<CollectedAnnouncements> {
  const { bus, plugins, hostApi, logger, onLateFinding, ...limits } = options
  const lateFindings: Finding[] = []
  let isOver = false
  const onLate = (plugin: LoadedPlugin, error: RollcallError) => {
    const finding = pluginFinding(plugin, error, 'announce')
    logger.warn('announced too late', { plugin: plugin.name, code: finding.code })
    if (isOver) onLateFinding?.(finding)
    else lateFindings.push(finding)
  }

  const answers = await collect(bus, RegisterToolProvidersEvent, {
    ...limits,
    plugins,
    makeView: (plugin, signal) =>
      createAnnounceView(plugin, { hostApi, signal, onLate: (error) => onLate(plugin, error) }),
  })
  isOver = true

  const results = [...Map.groupBy(answers, ({ plugin }) => plugin)].map(([plugin, own]) => settle(plugin, own, limits))
  for (const { plugin, faults } of results)
    for (const { code } of faults) logger.warn('a listener failed', { plugin: plugin.name, code })
  return {
    announcements: results.flatMap(({ announcements }) => announcements),
    findings: [...results.flatMap(({ findings }) => findings), ...lateFindings],
    listeners: answers.map(({ report }) => report),
    failures: results.flatMap(({ failure }) => failure ?? []),
  }
}

/** What stands of one plugin's listeners. */
function settle(plugin: LoadedPlugin, answers: readonly Answer<AnnounceView>[], limits: TogetherOptions) {
  const announcements = answers.flatMap(({ fault, view }) => (fault === undefined ? (view?.announcements ?? []) : []))
  const faults = answers.flatMap((answer) => faultsOf(answer, limits))
  const [first, ...others] = faults
  const isLost = announcements.length === 0 && first !== undefined
  const reported = isLost ? others : faults
  const durationMs = Math.max(...answers.map(({ report }) => report.durationMs))
  return {
    plugin,
    announcements,
    faults,
    failure: isLost ? pluginFailure(plugin, first, { phase: 'announce', durationMs }) : undefined,
    findings: reported.map((error) => pluginFinding(plugin, error, 'announce')),
  }
}

function faultsOf({ plugin, fault, view }: Answer<AnnounceView>, limits: TogetherOptions): readonly RollcallError[] {
  const refusals = view?.refusals ?? []
  // A refusal that the listener didn't catch is why it failed: one fault, told once.
  if (fault === undefined || refusals.some((refusal) => refusal === fault.error)) return refusals
  if (fault.kind === 'timedOut')
    return [
      new RollcallError(
        'LISTENER_TIMEOUT',
        `${plugin.name}: its listener ${timeOutText(fault, limits, 'listeners')}, so its tools are missing.`,
        { hint: 'Make `tools` a function instead of fetching in the listener, or raise "pluginTimeoutMs".' },
      ),
      ...refusals,
    ]
  const failed = new RollcallError(
    'LISTENER_FAILED',
    `${plugin.name}: its listener failed, so its tools are missing: ${fault.message}`,
    { hint: `The fault lies in the listener of ${plugin.from}; the causes and its log tell more.`, cause: fault.error },
  )
  return [failed, ...refusals]
}
