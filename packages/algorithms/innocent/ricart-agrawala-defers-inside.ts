import { renamed } from '../src/broken-variant.ts'
import type { InnocentVariant } from '../src/innocent-variant.ts'
import { ricartAgrawala } from '../src/permission/ricart-agrawala.ts'

const { receive } = ricartAgrawala

export const variant: InnocentVariant = {
  name: 'ricart-agrawala-defers-inside',
  algorithm: renamed<typeof ricartAgrawala>('ricart-agrawala-defers-inside', {
    ...ricartAgrawala,
    receive: {
      ...receive,
      request(node, here, request, from) {
        const isInside = node.ours !== null && node.outstanding === 0
        if (!isInside) return receive.request(node, here, request, from)
        node.highest = Math.max(node.highest, request.number)
        node.deferred[from] = true
      },
    },
  }),
  of: 'ricart-agrawala',
  published: 'kessler-2024 RH1; otherwise ricart-agrawala-1981 §2.2',
  rule: 'A node inside defers every request, whatever its number. In the paper it compares numbers.',
  suspicion: 'The two rules differ, and for Carvalho and Roucairol only the first one is safe.',
  harmless:
    'Here they have the same effect. A node inside has had a reply to this request from every other node. So all ' +
    'later requests have larger numbers, and all earlier ones have already been let pass.',
}
