/** Steps of a schedule in words. */
import type { Message } from '../src/protocol/messages.ts'
import type { Id } from '../src/protocol/record.ts'
import type { Node } from '../src/protocol/state.ts'
import type { Happening } from './happening.ts'
import type { Envelope } from './process.ts'

/** What happened at a node, told from how it is afterwards. */
export function tellHappening({ kind }: Happening, { id, durable, closing, holding }: Node): string {
  const told: Record<string, string> = {
    propose: `${id} proposes: PREPARE ${durable.promised.epoch}`,
    beat: `${id} sends heartbeats`,
    wake: `${id} looks whether it may accept${closing === null ? ', and accepts' : ''}`,
    ask: `a caller at ${id} asks for the lock${holding > 0 ? ' and is let in' : ''}`,
    release: `${id} releases the lock`,
    leave: `${id} leaves`,
  }
  return told[kind] ?? `${id}: ${kind}`
}

export function tellFence(fence: number): string {
  return `${Math.floor(fence / 1024)}:${fence % 1024}`
}

export function tellView(
  record: { epoch: number; members: readonly { id: Id }[] } | null | undefined,
): string {
  return record == null ? 'a view' : `view ${record.epoch} {${record.members.map(({ id }) => id).join(', ')}}`
}

export function tellMessage({ from, to, message }: Envelope): string {
  return `${to} gets ${nameOf(message)} of ${from}`
}

function nameOf(message: Message): string {
  const name = message.type.toUpperCase()
  switch (message.type) {
    case 'install':
    case 'copy':
      return `${name} of ${tellView(message.record)}`
    case 'prepare':
    case 'begin':
    case 'fetch':
    case 'out':
      return `${name} ${message.epoch}`
    case 'link':
      return `${message.payload.kind === 'lock' ? message.payload.message.type : message.payload.kind} in view ${message.epoch}`
    default:
      return name
  }
}
