/**
 * Callers queue at their node, in front of the algorithm; one of them at a time has what the instance obtained. Shared
 * callers of one node take turns too.
 */
import type { Mode } from '@turnwise/core/algorithm'
import { type Fence, grantFence, nextTurn } from './fence.ts'
import { localName, openInstance, runInstance, servable } from './instances.ts'
import type { Payload } from './messages.ts'
import type { Id } from './record.ts'
import { type Caller, isFrozen, isSilent, type LocalName, type Turn } from './state.ts'

export function request(turn: Turn, name: string, caller: string, mode: Mode): void {
  const { node } = turn
  const shares = servable(node.config.settings.algorithm).facts.sharedMode
  localName(node, name).waiting.push({ caller, mode: shares ? mode : 'exclusive' })
  advance(turn, name)
}

/** The caller no longer waits. An instance that is or gets inside for nobody is released. */
export function cancel(turn: Turn, name: string, caller: string): void {
  const local = turn.node.names[name]
  if (local === undefined) return
  local.waiting = local.waiting.filter((waiting) => waiting.caller !== caller)
  advance(turn, name)
}

export function release(turn: Turn, name: string, caller: string): void {
  const { node, now } = turn
  const local = node.names[name]
  if (local?.hold?.caller !== caller) return
  const { mode, fence } = local.hold
  local.hold = null
  // R5, hand-on under one unbroken hold: needs only the lease, frozen or not, for the table names this node.
  const next = local.waiting[0]
  const turnFence = nextTurn(fence)
  if (next?.mode === mode && turnFence !== null && now < node.deadline) letIn(turn, name, local, turnFence)
  else if (!isSilent(turn)) giveBack(turn, name)
  // R11: frozen, a release stays local.
}

/** Gives the instance's entry back, and asks again if callers wait. */
export function giveBack(turn: Turn, name: string): void {
  const instance = turn.node.names[name]?.instance
  if (instance?.phase !== 'inside') return
  instance.phase = 'idle'
  instance.grant = null
  runInstance(turn, name, (algorithm, state, here) => algorithm.release(state, here))
  advance(turn, name)
}

/** Whatever can be done for those who wait for a name: ask for it, let one in, or give back what nobody wants. */
export function advance(turn: Turn, name: string): void {
  const { node, rules } = turn
  const local = node.names[name]
  if (local === undefined || local.hold !== null || node.begun === null) return
  if (isFrozen(node) && rules.freezes) return // R11
  const head = local.waiting[0]
  if (head === undefined) return giveBack(turn, name)
  const instance = openInstance(turn, name)
  if (instance.phase === 'idle') ask(turn, name, head)
  if (instance.phase !== 'inside') return
  if (instance.mode === 'shared' && head.mode === 'exclusive') return giveBack(turn, name)
  // R5: inside but gated stays inside, and is tried again after the next ack.
  if (turn.now >= node.deadline || instance.grant === null) return
  letIn(turn, name, local, grantFence(rules.fenceHasEpoch ? node.begun.epoch : 0, instance.grant))
  instance.grant = null
}

function ask(turn: Turn, name: string, { mode }: Caller): void {
  const instance = openInstance(turn, name)
  instance.phase = 'waiting'
  instance.mode = mode
  runInstance(turn, name, (algorithm, state, here) => algorithm.request(state, here, { mode, priority: 0 }))
}

function letIn({ effects }: Turn, name: string, local: LocalName, fence: Fence): void {
  const { caller, mode } = local.waiting.shift() as Caller
  local.hold = { caller, mode, fence }
  effects.push({ kind: 'grant', name, caller, mode, fence })
}

/** A message of the algorithm, in order and once (R17). */
export function deliver(turn: Turn, from: Id, { name, message }: Payload): void {
  runInstance(turn, name, (algorithm, state, here, seats) => {
    algorithm.receive[message.type](state, here, message, seats.indexOf(from))
  })
  advance(turn, name)
}
