export { createManualClock, type ManualClock } from './manual-clock.ts'
export { type TestedPlugin, type TestPluginOptions, testPlugin } from './test-plugin.ts'
