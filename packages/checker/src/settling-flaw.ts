import { get } from '@turnwise/core/bounds'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Instance } from './instance.ts'
import { detailOf } from './local-steps.ts'
import type { PropertyResult } from './property.ts'
import type { Search } from './search.ts'
import { StateStore } from './state-store.ts'
import { MOST_NUMBERS } from './world-layout.ts'
import { Worlds } from './worlds.ts'

/** The result of a look at worlds of the full search. */
export interface SettlingFlaw {
  /** The first step that settling changes, in words; null if none does. */
  readonly flaw: string | null
  /** How many worlds were looked at. */
  readonly worlds: number
  /** Whether these are all worlds of the instance. */
  readonly isComplete: boolean
}

/**
 * Compares worlds of the full search with the settled ones, nearest first: whether the same nodes wait and are inside, whether tokens are as
 * many, and whether the steps are the same but for receipts of settled messages. Without such a receipt there must be as many steps in
 * both. If it finds no flaw in all worlds of an instance, `Settling` keeps every property there.
 */
export function settlingFlaw(instance: Instance, mostWorlds: number): SettlingFlaw {
  return new Comparison(instance).run(mostWorlds)
}

/** So many worlds are compared after a search. */
const FIRST_WORLDS = 2_000

/** A world that never comes proves these; a run proves that another fails. */
const BY_ABSENCE = /^(can-|sometimes-)/

/**
 * Refuses a result that depends on settled messages which make a difference after all, as those of an algorithm that was changed may. A run
 * against a property is one of the algorithm in any case.
 */
export function requireSound({ worlds }: Search, properties: readonly PropertyResult[]): void {
  if (properties.some(({ name, holds }) => holds === false && !BY_ABSENCE.test(name))) return
  const flaw = worlds.settling?.flaw ?? settlingFlaw(worlds.instance, FIRST_WORLDS).flaw
  if (flaw !== null) throw new InvalidInput(`settle: ${flaw}`)
}

class Comparison {
  readonly #full: Worlds
  readonly #settled: Worlds
  readonly #store = new StateStore()
  readonly #world = new Int32Array(MOST_NUMBERS)
  readonly #at = new Int32Array(MOST_NUMBERS)
  readonly #adopted = new Int32Array(MOST_NUMBERS)

  constructor(instance: Instance) {
    const { settled: _, gaps: _gaps, ...whole } = instance
    this.#full = new Worlds(whole, { followFences: false, concrete: false })
    this.#settled = new Worlds({ ...whole, settled: true }, { followFences: false, concrete: false })
  }

  run(mostWorlds: number): SettlingFlaw {
    this.#store.add(this.#world, this.#full.initial(this.#world), 0)
    let worlds = 0
    let flaw: string | null = null
    while (flaw === null && worlds < Math.min(this.#store.length, mostWorlds)) {
      flaw = this.#flawIn(this.#store.read(worlds, this.#world))
      worlds += 1
    }
    flaw ??= this.#settled.settling?.flaw ?? null
    return { flaw, worlds, isComplete: flaw === null && worlds === this.#store.length }
  }

  #flawIn(size: number): string | null {
    const atSize = this.#settled.adopt(this.#full, this.#world, size, this.#at)
    if (!this.#standsAlike(size, atSize))
      return 'a settled message changes who waits, who is inside or who has a token'
    const at = textOf(this.#at, atSize)
    const steps = new Map<string, string>()
    let receipts = 0
    this.#full.expand(this.#world, size, (next, nextSize) => {
      this.#store.add(next, nextSize, 0)
      const to = textOf(this.#adopted, this.#settled.adopt(this.#full, next, nextSize, this.#adopted))
      if (isSilent(this.#full) && to === at) receipts += 1
      else steps.set(`${nameOf(this.#full)} ${to}`, nameOf(this.#full))
    })
    const settled = new Map<string, string>()
    this.#settled.expand(this.#at, atSize, (next, nextSize) => {
      const to = textOf(next, nextSize)
      if (!isSilent(this.#settled) || to !== at)
        settled.set(`${nameOf(this.#settled)} ${to}`, nameOf(this.#settled))
    })
    for (const [step, name] of steps)
      if (!settled.has(step)) return `settled messages change this step: ${name}`
    if (receipts > 0) return null
    for (const [step, name] of settled)
      if (!steps.has(step)) return `settled messages make this step: ${name}`
    return null
  }

  #standsAlike(size: number, atSize: number): boolean {
    const { nodes, resources } = this.#full.instance.setup
    for (let node = 0; node < nodes; node += 1)
      if (this.#full.layout.flagsOf(this.#world, node) !== this.#settled.layout.flagsOf(this.#at, node))
        return false
    for (let resource = 0; resource < resources; resource += 1) {
      const tokens = this.#full.layout.tokensIn(this.#world, size, resource)
      if (tokens !== this.#settled.layout.tokensIn(this.#at, atSize, resource)) return false
    }
    return true
  }
}

/** Whether the step is a receipt that nobody notices, but for the state of the receiver. */
function isSilent({ step }: Worlds): boolean {
  return step.event.is === 'receive' && step.messages === 0 && !step.entered && step.outcome?.broke === null
}

/** The step in words. Clock values are left out: they are shifted further where settled messages are gone. */
function nameOf({ step, parts }: Worlds): string {
  const { event, node, envelope, messages, entered, outcome } = step
  const came = `${entered ? ' and enters' : ''}${outcome?.broke === null ? '' : ' and breaks a rule'}`
  if (envelope === -1) {
    const detail = event.is === 'lose' || event.is === 'duplicate' ? '' : detailOf(event)
    return `node ${node}: ${event.is}${detail === '' ? '' : ` ${detail}`}, sends ${messages}${came}`
  }
  const { message, from } = get(parts.envelopes, envelope)
  return `node ${node}: ${event.is} a ${message.type} from node ${from}, sends ${messages}${came}`
}

function textOf(world: Int32Array, size: number): string {
  return world.subarray(0, size).join()
}
