/** What the toys share: facts that claim little, and a desk that lets in one after the other. */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { exactly, type Facts } from '@turnwise/core/facts'
import type { Setup } from '@turnwise/core/setup'

export function toyFacts<Options = object>(
  name: string,
  differs: Partial<Facts<Options>> = {},
): Facts<Options> {
  return {
    name,
    title: name,
    year: 2024,
    family: 'permission',
    idea: 'A toy.',
    sources: [],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: { formula: '?', light: () => exactly(0), heavy: () => exactly(0) },
    syncDelay: { formula: '?', hops: () => ({ min: 0, max: 2 }) },
    faults: [],
    fallsSilent: true,
    timing: 'any',
    timers: {},
    ...differs,
  }
}

export const FENCE = { clock: 'fence', scaled: false } as const
export const FENCE_VALUE = { clock: 'fence' } as const

/** Many toys have a desk: the home node lets in as many as may be inside, in the order in which they ask it. */
export interface Desk {
  inside: number
  queue: NodeId[]
  fence: number
}

export type DeskMessage =
  | { readonly type: 'ask' }
  | { readonly type: 'permit'; readonly fence: number }
  | { readonly type: 'back' }

export const DESK_STATE = {
  fields: { inside: 'data', queue: { list: 'node' }, fence: FENCE_VALUE },
} as const
export const DESK_MESSAGES = { ask: {}, permit: { fence: FENCE_VALUE }, back: {} } as const

export function newDesk({ inside }: Setup): Desk {
  return { inside: inside.length, queue: [], fence: 0 }
}

export function isDesk({ self, setup }: Here): boolean {
  return self === setup.home
}

export function lineUp(desk: Desk, here: Here<DeskMessage>, who: NodeId): void {
  desk.queue.push(who)
  letIn(desk, here)
}

export function backAt(desk: Desk, here: Here<DeskMessage>): void {
  desk.inside -= 1
  letIn(desk, here)
}

export function letIn(desk: Desk, here: Here<DeskMessage>): void {
  while (desk.inside < here.setup.entries && desk.queue.length > 0) {
    const next = desk.queue.shift() as NodeId
    desk.inside += 1
    desk.fence += 1
    if (next === here.self) here.enter(desk.fence)
    else here.send(next, { type: 'permit', fence: desk.fence })
  }
}

export interface DeskState {
  desk: Desk
}

/** The desk alone: k may be inside together. */
export const permits: Algorithm<DeskState, DeskMessage> = {
  facts: toyFacts('permits', { entries: 'k' }),
  options: {},
  shapes: { state: { desk: DESK_STATE }, messages: DESK_MESSAGES, fence: FENCE },
  init: (_self, setup) => ({ desk: newDesk(setup) }),
  request({ desk }, here) {
    if (isDesk(here)) lineUp(desk, here, here.self)
    else here.send(here.setup.home, { type: 'ask' })
  },
  release({ desk }, here) {
    if (isDesk(here)) backAt(desk, here)
    else here.send(here.setup.home, { type: 'back' })
  },
  receive: {
    ask: ({ desk }, here, _ask, from) => lineUp(desk, here, from),
    permit: (_node, here, { fence }) => here.enter(fence),
    back: ({ desk }, here) => backAt(desk, here),
  },
}

/** Slips: does something forbidden when it is asked to enter. */
export function slipping(slip: (here: Here<DeskMessage>) => void): Algorithm<DeskState, DeskMessage> {
  return { ...permits, facts: toyFacts('slipping'), request: (_node, here) => slip(here) }
}
