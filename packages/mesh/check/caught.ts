/**
 * Where each broken rule is caught, by what, and in how many steps at least. Three are not here. home-by-suspicion: no world
 * has who looks alive. releases-twice: two callers of one node would have to wait. begins-unfit: what serves the locks here
 * fits any number of members.
 */
export interface Caught {
  readonly rule: string
  readonly bounds: string
  readonly property: string
  readonly steps: number
}

export const caught: readonly Caught[] = [
  { rule: 'lease-from-receipt', bounds: 'locks-2-late', property: 'L4', steps: 10 },
  { rule: 'no-drift-allowance', bounds: 'locks-2-drift', property: 'L4', steps: 7 },
  { rule: 'accept-at-once', bounds: 'locks-2-lean', property: 'L4', steps: 5 },
  { rule: 'acks-while-waiting', bounds: 'locks-2-lean-2', property: 'L4', steps: 7 },
  { rule: 'acks-for-anyone', bounds: 'locks-2-lean', property: 'L4', steps: 5 },
  { rule: 'no-freeze', bounds: 'locks-2-lean', property: 'impossible', steps: 7 },
  { rule: 'speaks-when-frozen', bounds: 'locks-2-lean-x', property: 'impossible', steps: 9 },
  { rule: 'silent-stay-in', bounds: 'locks-2-lean', property: 'impossible', steps: 7 },
  { rule: 'no-table', bounds: 'locks-2-lean', property: 'E', steps: 10 },
  { rule: 'late-begin', bounds: 'locks-3-x', property: 'impossible', steps: 12 },
  { rule: 'takes-in-who-is-not-in-h', bounds: 'ballots-3-lean', property: 'L3', steps: 7 },
  { rule: 'prepare-without-majority', bounds: 'ballots-2', property: 'L1', steps: 2 },
  { rule: 'promise-in-memory', bounds: 'ballots-3-lean-restart', property: 'L1', steps: 7 },
  { rule: 'accept-in-memory', bounds: 'ballots-3-lean-restart', property: 'L2', steps: 8 },
  { rule: 'restart-owes-nothing', bounds: 'locks-2-restart', property: 'L4', steps: 6 },
  { rule: 'accepts-lower', bounds: 'ballots-3-lean', property: 'L2', steps: 7 },
  { rule: 'one-accept', bounds: 'ballots-2', property: 'R14', steps: 3 },
  { rule: 'epoch-twice', bounds: 'ballots-2', property: 'L1', steps: 6 },
  { rule: 'genesis-by-majority', bounds: 'genesis-2-disk', property: 'L1', steps: 7 },
  { rule: 'no-joint-view', bounds: 'disk-3', property: 'L4', steps: 10 },
  { rule: 'no-joint-view', bounds: 'ballots-3-wish', property: 'L2', steps: 6 },
  { rule: 'no-joint-view', bounds: 'locks-3-wish', property: 'L4', steps: 4 },
  { rule: 'joint-view-ends-early', bounds: 'locks-3-wish', property: 'L4', steps: 7 },
  { rule: 'same-session', bounds: 'locks-2-heard-restart', property: 'F', steps: 7 },
  { rule: 'other-epochs', bounds: 'locks-2-ask', property: 'F', steps: 11 },
  { rule: 'fence-without-epoch', bounds: 'locks-2-lean', property: 'F', steps: 9 },
  { rule: 'gone-too-early', bounds: 'locks-2-leave', property: 'L4', steps: 6 },
  { rule: 'forgets-longest-lease', bounds: 'locks-2-longer', property: 'L4', steps: 7 },
  { rule: 'blank-at-once', bounds: 'locks-3-blank', property: 'L4', steps: 3 },
  { rule: 'begins-below-chosen', bounds: 'ballots-3-lean', property: 'R14', steps: 9 },
]
