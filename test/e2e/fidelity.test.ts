import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { features } from './fidelity/features.ts'
import { openProbe, type Probe } from './fidelity/open-probe.ts'

describe.each([1, 5])('in front of %i servers with the same names and addresses', (upstreams) => {
  let probe: Probe | undefined
  beforeAll(async () => {
    probe = await openProbe(upstreams)
  })
  afterAll(async () => {
    await probe?.[Symbol.asyncDispose]()
  })

  it.each(features)('$name passes the gateway whole', async ({ prove }) => {
    if (probe === undefined) expect.unreachable('the probe is open')
    await prove(probe)
  })
})
