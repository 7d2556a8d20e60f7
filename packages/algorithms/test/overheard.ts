import { type AnyProtocol, HANDLERS, type Here } from '@turnwise/core/algorithm'
import { namesIn } from '@turnwise/core/reason'

/** One call of a handler, as it looks from outside. */
export interface Call {
  /** Such as `request` or `receive.token`. */
  readonly handler: string
  /** The different words that it said, in their order. */
  readonly words: readonly string[]
  /** Names in the words without a value, and values without a name. */
  readonly strays: readonly string[]
  /** What it sent, by type, and whether it entered or named a coordinator. */
  readonly effects: readonly string[]
  /** Whether it changed its state, a timer or a step, or did any of the above. */
  readonly didAnything: boolean
}

type Handle = (state: object, here: Here, ...event: unknown[]) => void

/** The same algorithm, of which every call of a handler is overheard. */
export function overheard<P extends AnyProtocol>(protocol: P, hear: (call: Call) => void): P {
  const listen =
    (handler: string, handle: Handle): Handle =>
    (state, here, ...event) => {
      const before = JSON.stringify(state)
      const place = recorder(here)
      handle.call(protocol, state, place.here, ...event)
      const isChanged = JSON.stringify(state) !== before
      hear({ handler, ...place.call(), didAnything: isChanged || place.acted.size > 0 })
    }
  const copy: Record<string, unknown> = { ...protocol }
  for (const name of HANDLERS) {
    const handle = copy[name] as Handle | undefined
    if (handle !== undefined) copy[name] = listen(name, handle)
  }
  copy['receive'] = Object.fromEntries(
    Object.entries(protocol.receive).map(([type, handle]) => [
      type,
      listen(`receive.${type}`, handle as Handle),
    ]),
  )
  return copy as unknown as P
}

function recorder(here: Here) {
  const acted = new Set<string>()
  const effects = new Set<string>()
  const words = new Set<string>()
  const strays: string[] = []
  const did = (what: string) => {
    acted.add(what)
    effects.add(what)
  }
  const place: Here = {
    ...here,
    send(to, message) {
      did(message.type)
      here.send(to, message)
    },
    sendToOthers(message) {
      did(message.type)
      here.sendToOthers(message)
    },
    broadcast(message) {
      did(message.type)
      here.broadcast(message)
    },
    enter(fence) {
      did('enters')
      here.enter(fence)
    },
    elected(coordinator) {
      did('elected')
      here.elected(coordinator)
    },
    setTimer(timer, delay) {
      acted.add(`timer ${timer}`)
      here.setTimer(timer, delay)
    },
    proceed(step) {
      acted.add(`step ${step}`)
      here.proceed(step)
    },
    because(said, values = {}) {
      words.add(said)
      const wanted = namesIn(said)
      strays.push(...wanted.filter((name) => !Object.hasOwn(values, name)))
      strays.push(...Object.keys(values).filter((name) => !wanted.includes(name)))
      here.because?.(said, values)
    },
  }
  return {
    here: place,
    acted,
    call: () => ({ words: [...words], strays, effects: [...effects].toSorted() }),
  }
}
