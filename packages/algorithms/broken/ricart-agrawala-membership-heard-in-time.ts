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
          // Only if no REQUEST was received is the number of a nearby node used.
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
    'A new node waits until all others have had time to enter and leave. It copies the highest number of a nearby node ' +
    'if it has received no REQUEST in that time; otherwise it uses what it has received.',
  failure:
    'One node has heard of the new one and asks it too, with 2. Another hears that request before it hears of the new node, ' +
    'and asks with 3 those whom it knows. The new node has received 2 and enters last, also with 3. Exclusion holds, since ' +
    'all that was open is over by then; but numbers do not rise from entry to entry, so they are no fences.',
  repair: 'The new node copies the number of a nearby node in any case.',
  instance: { nodes: 4, requests: 1, channels: 'unordered', set: ['learn=time'] },
  takesLong: true,
}
