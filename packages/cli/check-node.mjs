// Loaded before anything else runs from source: an older Node can not even read it.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `rollcall: Node ${process.versions.node} can not run TypeScript. The project brings its own Node 24:\n` +
      '  run the scripts through pnpm (npx -y pnpm@12 start), and keep "node: true" under allowBuilds in pnpm-workspace.yaml.\n',
  )
  process.exit(2)
}
