import { comingLater, renamed } from '../src/broken-variant.ts'
import type { InnocentVariant } from '../src/innocent-variant.ts'
import { ricartAgrawalaMembership } from '../src/permission/ricart-agrawala-membership.ts'

const rules = ricartAgrawalaMembership

export const variant: InnocentVariant = {
  name: 'ricart-agrawala-membership-heard-in-time',
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
  rule:
    'A new node waits until all others have had time to enter and leave. It copies the highest number of a nearby node ' +
    'if it has received no REQUEST in that time; otherwise it uses what it has received.',
  suspicion:
    'A request that it hears may have a lower number than one that was open when it came, and was never sent to it.',
  harmless:
    'What was open is over by then: no request is alive with which a lower number could be compared. As fences numbers ' +
    'are too low only if two others have raised them unheard by a third. That takes four nodes, and a search of four ' +
    'has not come to its end: the verdict stands for three. Our new node copies in any case.',
}
