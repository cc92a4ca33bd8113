import { defineConfig } from 'tsdown'

export default defineConfig({ entry: ['src/plugin.ts'], platform: 'node', target: 'node22', dts: true })
