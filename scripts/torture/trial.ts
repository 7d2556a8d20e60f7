/** One broken rule under torture, for some rounds or until a judge finds it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { IDS, LOCKS } from '../../packages/cli/dist/torture/cast.js'
import { plan } from '../../packages/cli/dist/torture/plan.js'
import type { SetPiece } from '../../packages/cli/dist/torture/set-pieces.js'
import { type RoundReport, Torture } from '../../packages/cli/dist/torture/torture.js'

/** What the schedules of a rule are held to; the seed draws the rest. */
export interface Aim {
  readonly nodes: number
  readonly lease: number
  readonly beginWith: SetPiece | null
}

/** What became of it. */
export interface Trial {
  readonly rule: string
  readonly aim: Aim
  /** How many rounds were run, the one in which it was found too. */
  readonly rounds: number
  /** Which judges found something in the last of them. */
  readonly judges: readonly string[]
  readonly seconds: number
}

/** No rule of the protocol: a program that takes what it was once given for its own, whatever became of its lease. */
export const IGNORES_LOSS = 'ignores-loss'

/** The longest round, and the calm after it, in leases. */
const LONGEST = 13

export async function tortureRule(
  rule: string,
  aim: Aim,
  limits: { readonly seed: number; readonly rounds: number; readonly ownNamespace: boolean },
  stop: AbortSignal,
  directory: string,
): Promise<Trial> {
  const { nodes, lease, beginWith } = aim
  const { seed } = limits
  const ids = IDS.slice(0, nodes)
  const milliseconds = limits.rounds * LONGEST * lease
  const rounds = plan({ seed, ids, lease, milliseconds, beginWith }).slice(0, limits.rounds)
  const started = performance.now()
  const reports: RoundReport[] = []
  const stage = {
    seed,
    ids,
    lease,
    locks: LOCKS,
    security: 'none',
    algorithm: 'carvalho-roucairol',
    directory,
    ownNamespace: limits.ownNamespace,
  } as const
  const mistake =
    rule === IGNORES_LOSS
      ? { ignoresLoss: true }
      : { program: { beside: await brokenMember(directory), entry: 'broken-member', args: [rule] } }
  await Torture.run({ ...stage, ...mistake }, rounds, stop, {
    began: () => {},
    ended: (report) => reports.push(report),
  })
  const judges = [...new Set(reports.flatMap(({ findings }) => findings.map(({ judge }) => judge)))]
  return { rule, aim, rounds: reports.length, judges, seconds: (performance.now() - started) / 1000 }
}

/**
 * Made into JavaScript, with the lease thread beside it: some mistakes show only where a process that was killed is there again
 * before a lease is over, and one that reads TypeScript is not.
 */
async function brokenMember(directory: string): Promise<string> {
  const outdir = join(directory, 'program')
  const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))
  await build({
    entryPoints: {
      'broken-member': source('./broken-member.ts'),
      thread: source('../../packages/mesh/src/lease/thread.ts'),
    },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    conditions: ['turnwise-source'],
    // What is CommonJS inside asks for modules of Node by `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  })
  writeFileSync(join(outdir, 'package.json'), '{ "type": "module" }')
  return pathToFileURL(join(outdir, 'broken-member.js')).href
}
