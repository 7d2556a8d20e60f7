/** Places in line of suzuki-kasami.ts, for people who wait. */
import type { Line } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Options, State } from './suzuki-kasami.ts'

/** The queue of the token, then the nodes that its holder finds when it leaves: those with a request that is not served. */
export const line: Line<State, Options> = {
  at({ token, requested }, self, { nodes, options }) {
    if (token === null) return { isHead: false, places: [], turns: 0 }
    const first = options.scan === 'cyclic' ? self : 0
    const found = [...token.queue]
    for (let step = 0; step < nodes; step += 1) {
      const other = (first + step) % nodes
      const isServed = get(requested, other) <= get(token.served, other)
      if (other !== self && !found.includes(other) && !isServed) found.push(other)
    }
    return { isHead: true, places: found.map((node) => ({ node, mode: 'exclusive' })), turns: 0 }
  },
}
