import { defineConfig } from 'tsdown'

// Third-party code is bundled for a fast start; packages of this workspace stay imports, so that there is one of each.
export default defineConfig({
  entry: ['src/index.ts'],
  platform: 'node',
  target: 'node22',
  dts: true,
  deps: {
    alwaysBundle: [/^(?!@rollcall|node:)/],
    onlyBundle: false,
    dts: { neverBundle: [/^typebox/, /^@modelcontextprotocol/] },
  },
})
