import type { Claim } from '../../src/discovery/claim.ts'

/** A claim that a test needs only some parts of. */
export function makeClaim(claim: Partial<Claim> & Pick<Claim, 'appId' | 'source'>): Claim {
  const plugin = claim.plugin ?? `@acme/${claim.appId}`
  return {
    plugin,
    version: '1.0.0',
    order: 0,
    from: plugin,
    provider:
      claim.source === 'legacy'
        ? { kind: 'legacy', getAppId: () => claim.appId, getTools: () => [], invokeTool: () => '' }
        : { kind: 'builtin', tools: [] },
    ...claim,
  }
}
