import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'
import { placeOf } from '../src/token/token-queue-state.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-forgets-the-passed', {
    ...tokenQueue,
    receive: {
      ...receive,
      token(node, here, token, from) {
        const places = token.places.map(({ node, mode, level }) => placeOf(node, mode, level))
        receive.token(node, here, { ...token, places }, from)
      },
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'no-starvation',
  rule: 'The most urgent request is next, and a node that takes the token does not know how often others were passed.',
  failure:
    'Two nodes whose requests are urgent send the token to each other. An ordinary request waits for ever.',
  repair: 'Each place counts how often it was passed. From a number on it is passed no more.',
  instance: {
    nodes: 3,
    requests: 'any',
    channels: 'unordered',
    priorities: 2,
    set: ['passes=1'],
  },
}
