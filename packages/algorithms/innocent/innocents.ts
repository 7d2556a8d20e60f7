import { get } from '@turnwise/core/bounds'
import type { InnocentVariant } from '../src/innocent-variant.ts'
import { variant as carvalhoRoucairolAsksWithClock } from './carvalho-roucairol-asks-with-clock.ts'
import { variant as helaryPlouzeauRaynalAsksWithoutTick } from './helary-plouzeau-raynal-asks-without-tick.ts'
import { variant as helaryPlouzeauRaynalForgetsAlongThePath } from './helary-plouzeau-raynal-forgets-along-the-path.ts'
import { variant as helaryPlouzeauRaynalForgetsServed } from './helary-plouzeau-raynal-forgets-served.ts'
import { variant as nishioLiManningOutbidsNobody } from './nishio-li-manning-outbids-nobody.ts'
import { variant as raymondKComparesInside } from './raymond-k-compares-inside.ts'
import { variant as raynalPrimeModifiedWithoutVersions } from './raynal-prime-modified-without-versions.ts'
import { variant as ricartAgrawalaDefersInside } from './ricart-agrawala-defers-inside.ts'
import { variant as ricartAgrawalaUnlockedHighest } from './ricart-agrawala-unlocked-highest.ts'
import { variant as ringElectionWithoutFlag } from './ring-election-without-flag.ts'
import { variant as sandersDynamicKeepsInforming } from './sanders-dynamic-keeps-informing.ts'
import { variant as sandersGrantsItselfFirst } from './sanders-grants-itself-first.ts'
import { variant as sandersKeepsFails } from './sanders-keeps-fails.ts'
import { variant as srimaniReddyMarksOnArrival } from './srimani-reddy-marks-on-arrival.ts'
import { variant as suzukiKasamiAscending } from './suzuki-kasami-ascending.ts'
import { variant as suzukiKasamiExactlyNext } from './suzuki-kasami-exactly-next.ts'

/** Every suspected rule in which the checker finds nothing wrong. `npm run lists` writes this list from the folder. */
export const innocents: readonly InnocentVariant[] = [
  carvalhoRoucairolAsksWithClock,
  helaryPlouzeauRaynalAsksWithoutTick,
  helaryPlouzeauRaynalForgetsAlongThePath,
  helaryPlouzeauRaynalForgetsServed,
  nishioLiManningOutbidsNobody,
  raymondKComparesInside,
  raynalPrimeModifiedWithoutVersions,
  ricartAgrawalaDefersInside,
  ricartAgrawalaUnlockedHighest,
  ringElectionWithoutFlag,
  sandersDynamicKeepsInforming,
  sandersGrantsItselfFirst,
  sandersKeepsFails,
  srimaniReddyMarksOnArrival,
  suzukiKasamiAscending,
  suzukiKasamiExactlyNext,
]

/** The names of the suspects that are variants of their own. The catalogue itself follows the other rules. */
export const innocentNames: ReadonlySet<string> = new Set(
  innocents.map(({ algorithm }) => algorithm.facts.name).filter((name, i) => name === get(innocents, i).name),
)
