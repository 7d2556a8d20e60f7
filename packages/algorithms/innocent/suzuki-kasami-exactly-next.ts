import { get } from '@turnwise/core/bounds'
import { renamed } from '../src/broken-variant.ts'
import type { InnocentVariant } from '../src/innocent-variant.ts'
import { pass, scan, suzukiKasami } from '../src/token/suzuki-kasami.ts'

export const variant: InnocentVariant = {
  name: 'suzuki-kasami-exactly-next',
  algorithm: renamed<typeof suzukiKasami>('suzuki-kasami-exactly-next', {
    ...suzukiKasami,
    release(node, here) {
      const { token } = node
      if (token === null) return
      node.using = false
      const served = token.served.with(here.self, get(node.requested, here.self))
      const waits = scan(here.self, here.setup).filter(
        (other) => node.requested[other] === get(served, other) + 1,
      )
      const queue = [...new Set([...token.queue, ...waits])]
      const next = queue.shift()
      node.token = { queue, served, fence: token.fence }
      if (next !== undefined) pass(node, here, next)
    },
    receive: {
      ...suzukiKasami.receive,
      request(node, here, { number }, from) {
        node.requested[from] = Math.max(get(node.requested, from), number)
        const { token, using } = node
        if (token !== null && !using && node.requested[from] === get(token.served, from) + 1)
          pass(node, here, from)
      },
    },
  }),
  of: 'suzuki-kasami',
  published: 'velazquez-1993 appendix A',
  rule: 'A node waits if the number of its latest request is that of the last one served plus one.',
  suspicion: 'A number that is more than one ahead of what the token knows would be passed over for ever.',
  harmless:
    'A node asks again only when its last request was served, and on leaving it recorded that in the token. So no ' +
    'number is more than one ahead.',
}
