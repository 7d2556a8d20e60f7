import { type BrokenVariant, comingLater, renamed } from '../src/broken-variant.ts'
import { ricartAgrawalaMembership } from '../src/permission/ricart-agrawala-membership.ts'

const rules = ricartAgrawalaMembership

export const variant: BrokenVariant = {
  algorithm: renamed<typeof ricartAgrawalaMembership>(
    'ricart-agrawala-membership-heard-in-time',
    comingLater(
      {
        ...rules,
        timeout(node, here, timer) {
          const hasHeard = (node.learning?.counts.length ?? 0) > 0
          if (timer !== 'learn' || !hasHeard) return rules.timeout?.(node, here, timer)
          // The node uses the number of a nearby node only if it received no REQUEST.
          node.standing = 'member'
          node.gone = []
          node.learning = null
          if (node.wants) rules.request(node, here, { mode: 'exclusive', priority: 0 })
        },
      },
      2,
      0,
    ),
  ),
  of: 'ricart-agrawala-membership',
  published: 'ricart-agrawala-1981 §7.2.3 (4)',
  fails: 'fences-rise',
  rule:
    'A new node waits until all others have had time to enter and leave. If it received no REQUEST in that time, ' +
    'it copies the highest number of a nearby node. Otherwise, as we read it, it uses the highest number it has received.',
  failure:
    'One node has heard of the new one and asks it too, with 2. Another hears that request before it hears of the ' +
    'new node, and asks the nodes it knows with 3. The new node has received 2 and enters last, also with 3. ' +
    'Exclusion holds, since every earlier request is served by then. But the number is below the one that 7.2.3 ' +
    'itself demands, and numbers do not rise from entry to entry, so they are no fences.',
  repair: 'The new node copies the number of a nearby node in any case.',
  instance: { nodes: 4, requests: 1, channels: 'unordered', set: ['learn=time'] },
  takesLong: true,
}
