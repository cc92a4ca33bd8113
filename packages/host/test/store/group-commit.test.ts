import { describe, expect, it } from 'vitest'
import { createGroupCommit } from '../../src/store/group-commit.ts'

function recording() {
  const commits: string[][] = []
  let open: string[] = []
  const group = createGroupCommit<string, string>({
    apply(write) {
      if (write === 'bad') throw new TypeError('bad write')
      open.push(write)
      return write.toUpperCase()
    },
    transaction(change) {
      open = []
      const result = change()
      commits.push(open)
      return result
    },
  })
  return { group, commits }
}

describe('writes of one turn', () => {
  it('share one commit, and each gets its own result', async () => {
    const { group, commits } = recording()
    expect(await Promise.all(['a', 'b', 'c'].map(group.add))).toEqual(['A', 'B', 'C'])
    expect(await group.add('d')).toBe('D')
    expect(commits).toEqual([['a', 'b', 'c'], ['d']])
  })

  it('fail alone: the others are committed', async () => {
    const { group, commits } = recording()
    const settled = await Promise.allSettled(['a', 'bad', 'c'].map(group.add))
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(commits).toEqual([['a'], ['c']])
  })

  it('are committed at once by a flush', async () => {
    const { group, commits } = recording()
    const added = group.add('a')
    group.flush()
    expect(commits).toEqual([['a']])
    expect(await added).toBe('A')
  })
})
