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
  rule: 'Whoever is inside defers every request, whatever its number; the paper compares numbers there too.',
  suspicion:
    'The two rules are not the same text, and for Carvalho and Roucairol only the first one is safe.',
  harmless:
    'Here they are the same rule: whoever is inside has had a reply from everyone to this request, so that all later ' +
    'requests have larger numbers, and all earlier ones have been let pass.',
}
