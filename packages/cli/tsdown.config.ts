import { defineConfig } from 'tsdown'

// Third-party code is bundled for a fast start; packages of this workspace stay imports, so that there is one of each.
export default defineConfig({
  entry: ['src/main.ts'],
  platform: 'node',
  target: 'node22',
  dts: false,
  // The ES module of a package that has both: the other kind of some resolves its parts at run time.
  inputOptions: { resolve: { mainFields: ['module', 'main'] } },
  deps: {
    alwaysBundle: [/^(?!@rollcall|node:)/],
    onlyBundle: false,
    dts: { neverBundle: [/^typebox/, /^@modelcontextprotocol/] },
  },
})
