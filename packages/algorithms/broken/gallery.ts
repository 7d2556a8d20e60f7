import type { BrokenVariant } from '../src/broken-variant.ts'
import { variant as agrawalElAbbadiOnePath } from './agrawal-el-abbadi-one-path.ts'
import { variant as carvalhoRoucairolComparesInside } from './carvalho-roucairol-compares-inside.ts'
import { variant as carvalhoRoucairolRunningClock } from './carvalho-roucairol-running-clock.ts'
import { variant as centralCoordinatorIgnoresHolder } from './central-coordinator-ignores-holder.ts'
import { variant as giffordVotingHalf } from './gifford-voting-half.ts'
import { variant as helaryPlouzeauRaynalCompleteWithoutTick } from './helary-plouzeau-raynal-complete-without-tick.ts'
import { variant as helaryPlouzeauRaynalDatesAddressee } from './helary-plouzeau-raynal-dates-addressee.ts'
import { variant as lamportWithoutHearingAll } from './lamport-without-hearing-all.ts'
import { variant as maekawaFailsByQueue } from './maekawa-fails-by-queue.ts'
import { variant as maekawaOneShotInquire } from './maekawa-one-shot-inquire.ts'
import { variant as maekawaOriginal } from './maekawa-original.ts'
import { variant as martinRingForgetsToAsk } from './martin-ring-forgets-to-ask.ts'
import { variant as mizunoNeilsenRaoAnyAcquired } from './mizuno-neilsen-rao-any-acquired.ts'
import { variant as mizunoNeilsenRaoLateRequest } from './mizuno-neilsen-rao-late-request.ts'
import { variant as naimiTrehelRecoveryOwnRequest } from './naimi-trehel-recovery-own-request.ts'
import { variant as naimiTrehelRecoveryUnrequestedToken } from './naimi-trehel-recovery-unrequested-token.ts'
import { variant as naimiTrehelRootAsHolder } from './naimi-trehel-root-as-holder.ts'
import { variant as neilsenMizunoBusyHolding } from './neilsen-mizuno-busy-holding.ts'
import { variant as neilsenMizunoIdleSink } from './neilsen-mizuno-idle-sink.ts'
import { variant as nishioLiManningLateAge } from './nishio-li-manning-late-age.ts'
import { variant as raymondForgetsToAsk } from './raymond-forgets-to-ask.ts'
import { variant as raynalPrimeModifiedWaitsForAMessage } from './raynal-prime-modified-waits-for-a-message.ts'
import { variant as raynalPrimeModifiedWithoutOwnTerm } from './raynal-prime-modified-without-own-term.ts'
import { variant as ricartAgrawalaMembershipHighestReceived } from './ricart-agrawala-membership-highest-received.ts'
import { variant as ricartAgrawalaMembershipProbeWithoutNumber } from './ricart-agrawala-membership-probe-without-number.ts'
import { variant as ricartAgrawalaMembershipUnacknowledged } from './ricart-agrawala-membership-unacknowledged.ts'
import { variant as ricartAgrawalaPrinted } from './ricart-agrawala-printed.ts'
import { variant as ricartAgrawalaTokenUntested } from './ricart-agrawala-token-untested.ts'
import { variant as ricartAgrawalaTokenWithoutTick } from './ricart-agrawala-token-without-tick.ts'
import { variant as ricartAgrawalaWithoutTieBreak } from './ricart-agrawala-without-tie-break.ts'
import { variant as singhalDynamicForgetsToAsk } from './singhal-dynamic-forgets-to-ask.ts'
import { variant as singhalHeuristicDropsOutdated } from './singhal-heuristic-drops-outdated.ts'
import { variant as suzukiKasamiBoundedModulo } from './suzuki-kasami-bounded-modulo.ts'
import { variant as suzukiKasamiInterruptibleRelease } from './suzuki-kasami-interruptible-release.ts'
import { variant as thomasMajorityHalf } from './thomas-majority-half.ts'
import { variant as tokenRingKeepsTheTimer } from './token-ring-keeps-the-timer.ts'

/** Every broken variant. A test fails when a file is missing here. */
export const gallery: readonly BrokenVariant[] = [
  agrawalElAbbadiOnePath,
  carvalhoRoucairolComparesInside,
  carvalhoRoucairolRunningClock,
  centralCoordinatorIgnoresHolder,
  giffordVotingHalf,
  helaryPlouzeauRaynalCompleteWithoutTick,
  helaryPlouzeauRaynalDatesAddressee,
  lamportWithoutHearingAll,
  maekawaFailsByQueue,
  maekawaOneShotInquire,
  maekawaOriginal,
  martinRingForgetsToAsk,
  mizunoNeilsenRaoAnyAcquired,
  mizunoNeilsenRaoLateRequest,
  naimiTrehelRecoveryOwnRequest,
  naimiTrehelRecoveryUnrequestedToken,
  naimiTrehelRootAsHolder,
  neilsenMizunoBusyHolding,
  neilsenMizunoIdleSink,
  nishioLiManningLateAge,
  raymondForgetsToAsk,
  raynalPrimeModifiedWaitsForAMessage,
  raynalPrimeModifiedWithoutOwnTerm,
  ricartAgrawalaMembershipHighestReceived,
  ricartAgrawalaMembershipProbeWithoutNumber,
  ricartAgrawalaMembershipUnacknowledged,
  ricartAgrawalaPrinted,
  ricartAgrawalaTokenUntested,
  ricartAgrawalaTokenWithoutTick,
  ricartAgrawalaWithoutTieBreak,
  singhalDynamicForgetsToAsk,
  singhalHeuristicDropsOutdated,
  suzukiKasamiBoundedModulo,
  suzukiKasamiInterruptibleRelease,
  thomasMajorityHalf,
  tokenRingKeepsTheTimer,
]
