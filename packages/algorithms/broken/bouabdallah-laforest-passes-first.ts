import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { bouabdallahLaforest } from '../src/multi/bouabdallah-laforest.ts'

const { receive } = bouabdallahLaforest

export const variant: BrokenVariant = {
  algorithm: renamed<typeof bouabdallahLaforest>('bouabdallah-laforest-passes-first', {
    ...bouabdallahLaforest,
    receive: {
      ...receive,
      control(node, here, control, from) {
        const passesFirst: typeof here = {
          ...here,
          send: (to, message) => {
            if (message.type !== 'control') return here.send(to, message)
            const entries = message.entries.map((entry, resource) => {
              const read = control.entries[resource]
              return read === undefined || read.last === null ? entry : read
            })
            here.send(to, { ...message, entries })
          },
        }
        receive.control(node, passesFirst, control, from)
      },
    },
  }),
  of: 'bouabdallah-laforest',
  published: null,
  fails: 'rules',
  rule: 'A node passes the control token on, and writes itself only where it took a token out.',
  failure:
    'The next one reads the same name, and inquires where this node has inquired: two are next at one node.',
  repair: 'A node writes itself as the last of all that it wants before it passes the control token on.',
  instance: { nodes: 3, requests: 1, channels: 'unordered' },
}
