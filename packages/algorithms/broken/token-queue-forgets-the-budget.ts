import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'
import { placeOf } from '../src/token/token-queue-state.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-forgets-the-budget', {
    ...tokenQueue,
    receive: {
      ...receive,
      token(node, here, { type, fence, places, missing }, from) {
        const uncounted = places.map(({ node, mode, level }) => placeOf(node, mode, level))
        receive.token(node, here, { type, fence, places: uncounted, missing }, from)
      },
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'no-starvation',
  rule: 'The owner prefers nodes of its zone. The token tells neither how many turns the zone has had nor how often others were passed.',
  failure: 'Two nodes of one zone send the token to each other. A node of another zone waits for ever.',
  repair: 'A zone has a number of turns. Then the head of the line is next.',
  instance: {
    nodes: 3,
    requests: 'any',
    channels: 'unordered',
    set: ['zones=2', 'localTurns=1', 'passes=1'],
  },
}
