import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { composed } from '../src/zones/composed.ts'

const receive = Object.fromEntries(
  Object.entries(composed.receive).map(([type, handle]): [string, typeof handle] => [
    type,
    type.startsWith('inner')
      ? handle
      : (node, here, message, from) => handle(node, here, { ...message, known: 0 }, from),
  ]),
)

export const variant: BrokenVariant = {
  algorithm: renamed('composed-fence-of-zone', { ...composed, receive }),
  of: 'composed',
  published: null,
  fails: 'fences-rise',
  rule: 'Fences are counted in each zone. Messages between coordinators do not tell them.',
  failure: 'The first entry of a zone has a fence that an entry of another zone had before it.',
  repair: 'All messages tell the highest fence that their sender has heard of.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}
