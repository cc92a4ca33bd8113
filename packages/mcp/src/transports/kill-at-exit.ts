import { onExit } from 'signal-exit'
import type { ProcessTree } from './process-tree.ts'

const trees = new Set<ProcessTree>()
let uninstall: (() => void) | undefined

/**
 * Kills a tree should this process end before the tree does, by exit, by an uncaught error or by a signal that
 * nobody handles. One hook serves all trees.
 *
 * @returns the undo.
 */
export function killAtExit(tree: ProcessTree): () => void {
  trees.add(tree)
  uninstall ??= onExit(() => {
    for (const each of trees) each.kill('SIGKILL')
  })
  return () => {
    trees.delete(tree)
    if (trees.size > 0) return
    uninstall?.()
    uninstall = undefined
  }
}
