import { describe, expect, it } from 'vitest'
import { RestartPolicy } from '../../src/pool/restart-policy.ts'

function policyAt(start = 1_000_000) {
  const clock = { now: start }
  return { clock, policy: new RestartPolicy(() => clock.now) }
}

/** Fails so many times, each right when the next try is due. */
function failTimes({ clock, policy }: ReturnType<typeof policyAt>, times: number): readonly number[] {
  return Array.from({ length: times }, () => {
    clock.now = Math.max(clock.now, policy.nextTryAt ?? 0)
    policy.failed()
    return policy.comeBackAt - clock.now
  })
}

describe('a server that fails', () => {
  it('is started at once by the call after its first failure, and in half a second for those who only wait', () => {
    const { policy } = policyAt()
    policy.failed()
    expect(policy.admit()).toEqual({ isAdmitted: true, waitMs: 0 })
    expect(policy).toMatchObject({ nextTryAt: undefined, comeBackMs: 500 })
  })

  it('is left alone twice as long after each failure in a row, up to 30 s', () => {
    expect(failTimes(policyAt(), 9)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  })

  it('makes a call wait through a short pause, and says when it is over', () => {
    const parts = policyAt()
    failTimes(parts, 3)
    expect(parts.policy).toMatchObject({ nextTryAt: parts.clock.now + 2_000, isOpen: false })
    parts.clock.now += 500
    expect(parts.policy.admit()).toEqual({ isAdmitted: true, waitMs: 1_500 })
    parts.clock.now += 1_500
    expect(parts.policy.admit()).toEqual({ isAdmitted: true, waitMs: 0 })
    expect(parts.policy.nextTryAt).toBeUndefined()
  })

  it('refuses calls from the fifth failure in a minute on, until one may probe', () => {
    const parts = policyAt()
    failTimes(parts, 5)
    expect(parts.policy.isOpen).toBe(true)
    expect(parts.policy.admit()).toEqual({ isAdmitted: false })
    parts.clock.now += 7_999
    expect(parts.policy.admit()).toEqual({ isAdmitted: false })
    parts.clock.now += 1
    expect(parts.policy.admit()).toEqual({ isAdmitted: true, waitMs: 0 })
  })

  it('is not refused for five failures that are further apart, but for a pause that is too long to wait through', () => {
    const parts = policyAt()
    for (let failure = 0; failure < 5; failure += 1) {
      parts.clock.now += 20_000
      parts.policy.failed()
    }
    expect(parts.policy.isOpen).toBe(false)
    expect(parts.policy.admit()).toEqual({ isAdmitted: false })
    parts.clock.now += 3_000
    expect(parts.policy.admit()).toEqual({ isAdmitted: true, waitMs: 5_000 })
  })

  it('is refused again at once when it leaves right after a probe that succeeded', () => {
    const parts = policyAt()
    failTimes(parts, 5)
    parts.clock.now += 8_000
    parts.policy.started()
    expect(parts.policy).toMatchObject({ isOpen: false, nextTryAt: undefined })
    parts.policy.failed()
    expect(parts.policy).toMatchObject({ isOpen: true, nextTryAt: parts.clock.now + 16_000 })
  })

  it('begins anew after a minute in which it was sound', () => {
    const parts = policyAt()
    failTimes(parts, 5)
    parts.policy.started()
    parts.clock.now += 60_000
    parts.policy.failed()
    expect(parts.policy).toMatchObject({ failuresInRow: 1, isOpen: false, comeBackMs: 500 })
  })

  it('is looked at by every call when what kept it from being started is not its own fault', () => {
    const parts = policyAt()
    failTimes(parts, 5)
    parts.policy.refused()
    expect(parts.policy.admit()).toEqual({ isAdmitted: true, waitMs: 0 })
    expect(parts.policy.comeBackMs).toBe(30_000)
  })
})
