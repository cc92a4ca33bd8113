import { AsyncLocalStorage } from 'node:async_hooks'

interface Running {
  readonly plugin: string
  isOver: boolean
}

const storage = new AsyncLocalStorage<Running>()

/** The plugin whose collected listener this code runs in, however deep and after whatever await; else `undefined`. */
export function currentListener(): string | undefined {
  const running = storage.getStore()
  return running === undefined || running.isOver ? undefined : running.plugin
}

/**
 * Runs a listener so that `currentListener` knows of it. `leave` ends that: what the listener has left running, a timer
 * for instance, keeps its async context for ever and is outside from then on.
 */
export function enterListener(plugin: string): { run<T>(listener: () => T): T; leave(): void } {
  const running: Running = { plugin, isOver: false }
  return {
    run: (listener) => storage.run(running, listener),
    leave() {
      running.isOver = true
    },
  }
}
