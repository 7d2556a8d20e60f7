/** Toys whose messages differ in clock values alone: what shifts and gaps of clocks must not hide. */
import { type Algorithm, type Here, impossible } from '@turnwise/core/algorithm'
import { FENCE, toyFacts } from './toys.ts'

interface ConveyorState {
  /** The last parcel that came, and the last that was asked for. */
  came: number
  asked: number
  /** How many are under way, or asked for. */
  due: number
  waits: boolean
  /** Whether it has asked for a parcel and does not know yet that this is under way. */
  isAsking: boolean
}

type ConveyorMessage =
  | { readonly type: 'more'; readonly number: number }
  | { readonly type: 'parcel'; readonly number: number }
  | { readonly type: 'sent' }

/**
 * A guest that asks to enter has home send it numbered parcels, up to three at a time, and enters when one overtakes another or comes while it
 * asks for more. If all come in order it waits for ever, although every parcel arrives. Seen from the last parcel that came, the second and the
 * third are always under way, and never arrive: each is the first when it does.
 */
export const conveyor: Algorithm<ConveyorState, ConveyorMessage> = {
  facts: toyFacts('conveyor', { entries: 'k' }),
  options: {},
  shapes: {
    state: {
      came: { clock: 'parcel', of: 'self' },
      asked: { clock: 'parcel', of: 'self' },
      due: 'data',
      waits: 'data',
      isAsking: 'data',
    },
    messages: {
      more: { number: { clock: 'parcel', of: 'sender' } },
      parcel: { number: { clock: 'parcel', of: 'self' } },
      sent: {},
    },
    fence: FENCE,
  },
  init: () => ({ came: 0, asked: 0, due: 0, waits: false, isAsking: false }),
  request(node, here) {
    if (here.self === here.setup.home) return here.enter(1)
    node.waits = true
    askForMore(node, here)
  },
  release: () => {},
  receive: {
    more(_node, here, { number }, from) {
      here.send(from, { type: 'parcel', number })
      here.send(from, { type: 'sent' })
    },
    parcel(node, here, { number }) {
      if (!node.waits) return
      if (!node.isAsking && number === node.came + 1) {
        node.came = number
        node.due -= 1
        return askForMore(node, here)
      }
      node.waits = false
      here.enter(1)
    },
    sent(node, here) {
      node.isAsking = false
      if (node.waits && node.due < 3) askForMore(node, here)
    },
  },
}

function askForMore(node: ConveyorState, here: Here<ConveyorMessage>): void {
  node.asked += 1
  node.due += 1
  node.isAsking = true
  here.send(here.setup.home, { type: 'more', number: node.asked })
}

/** A guest that enters sends home a number one above the last. Home is sure that none is missing, which is wrong where messages are lost. */
export const tally: Algorithm<
  { sent: number; seen: number },
  { readonly type: 'note'; readonly number: number }
> = {
  facts: toyFacts('tally', { entries: 'k' }),
  options: {},
  shapes: {
    state: { sent: { clock: 'note' }, seen: { clock: 'note' } },
    messages: { note: { number: { clock: 'note' } } },
    fence: FENCE,
  },
  init: () => ({ sent: 0, seen: 0 }),
  request(node, here) {
    here.enter(1)
    if (here.self === here.setup.home) return
    node.sent += 1
    here.send(here.setup.home, { type: 'note', number: node.sent })
  },
  release: () => {},
  receive: {
    note(node, _here, { number }) {
      if (number !== node.seen + 1) impossible('a note is missing')
      node.seen = number
    },
  },
}
