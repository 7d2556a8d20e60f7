import { NO_TROUBLE } from '@turnwise/checker/instance'
import { Search } from '@turnwise/checker/search'
import { arrange } from '@turnwise/core/setup'
import type { Structure } from '@turnwise/core/structure/structure'
import { structureText } from '@turnwise/core/structure/structure-from-text'
import { sanders } from '../src/quorum/sanders.ts'

/** Whether the checker finds no way for two nodes to be inside together. */
export function excludes(structure: Structure, requests = 1, mostStates = 400_000): boolean {
  const { setup } = arrange(sanders.facts, {
    nodes: structure.nodes,
    options: { own: 'last', deadlock: 'always' },
    structure: { kind: structureText(structure), ...structure },
  })
  const instance = {
    algorithm: sanders,
    setup,
    requests,
    channels: 'fifo',
    timing: 'any',
    budgets: NO_TROUBLE,
  } as const
  const search = new Search(instance, { mostStates, edges: false, followFences: false })
  while (!search.run(100_000));
  if (search.cutShort) throw new Error(`${setup.structure?.kind} has too many states`)
  const property = search.failure?.property ?? 'exclusion'
  if (property !== 'exclusion') throw new Error(`${setup.structure?.kind}: ${property} fails`)
  return search.failure === null
}
