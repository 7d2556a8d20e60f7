import { type Budgets, NO_TROUBLE } from '@turnwise/checker/instance'
import type { World } from './world.ts'

const TROUBLE = Object.keys(NO_TROUBLE) as readonly (keyof Budgets)[]

/** A world as a command that anyone can run. */
export function commandFor(name: string, world: World): string {
  const {
    nodes,
    requests,
    channels,
    topology,
    quorum,
    structure,
    k,
    resources,
    sets,
    readers,
    downgrades,
    updates,
    priorities,
    set = [],
    timing,
    clock,
    room,
    gaps,
    reduced,
    settled,
  } = world
  return [
    `npx turnwise check ${name} --nodes ${nodes}`,
    requests === 1 ? '' : ` --requests ${requests}`,
    channels === undefined ? '' : ` --channels ${channels}`,
    topology === undefined ? '' : ` --topology ${topology}`,
    quorum === undefined ? '' : ` --quorum ${quorum}`,
    structure === undefined ? '' : ` --structure ${structure}`,
    k === undefined ? '' : ` --k ${k}`,
    resources === undefined ? '' : ` --resources ${resources}`,
    sets === undefined ? '' : ` --sets '${sets}'`,
    readers === undefined ? '' : ` --readers ${readers === 'all' ? 1 : 0.5}`,
    downgrades === undefined ? '' : ' --downgrades',
    updates === undefined ? '' : ' --updates',
    priorities === undefined ? '' : ` --priorities ${priorities}`,
    ...set.map((setting) => ` --set ${setting}`),
    timing === undefined ? '' : ` --timing ${timing}`,
    ...TROUBLE.map((kind) => (world[kind] === undefined ? '' : ` --${kind} ${world[kind]}`)),
    world.memory === undefined ? '' : ` --memory ${world.memory}`,
    world.dead === undefined ? '' : ` --dead ${world.dead}`,
    clock === undefined ? '' : ` --clock ${clock}`,
    room === undefined ? '' : ` --room ${room}`,
    gaps === undefined ? '' : ` --gaps ${gaps}`,
    reduced === true ? ' --reduce' : '',
    settled === true ? ' --settle' : '',
    ...(world.only ?? []).map((name) => ` --only ${name}`),
  ].join('')
}
