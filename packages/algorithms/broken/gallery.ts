import type { BrokenElection, BrokenVariant } from '../src/broken-variant.ts'
import { variant as agrawalElAbbadiOnePath } from './agrawal-el-abbadi-one-path.ts'
import { variant as bouabdallahLaforestAnswersInside } from './bouabdallah-laforest-answers-inside.ts'
import { variant as bouabdallahLaforestForgetsInquiry } from './bouabdallah-laforest-forgets-inquiry.ts'
import { variant as bouabdallahLaforestPassesFirst } from './bouabdallah-laforest-passes-first.ts'
import { variant as bouabdallahLaforestWithoutTurn } from './bouabdallah-laforest-without-turn.ts'
import { variant as bullyNeverOff } from './bully-never-off.ts'
import { variant as carvalhoRoucairolComparesInside } from './carvalho-roucairol-compares-inside.ts'
import { variant as carvalhoRoucairolDowngradeAnswersAll } from './carvalho-roucairol-downgrade-answers-all.ts'
import { variant as carvalhoRoucairolForgetsWhatItAsked } from './carvalho-roucairol-forgets-what-it-asked.ts'
import { variant as carvalhoRoucairolRunningClock } from './carvalho-roucairol-running-clock.ts'
import { variant as centralCoordinatorElectionDoesNotAsk } from './central-coordinator-election-does-not-ask.ts'
import { variant as centralCoordinatorElectionHasty } from './central-coordinator-election-hasty.ts'
import { variant as centralCoordinatorElectionOldGrant } from './central-coordinator-election-old-grant.ts'
import { variant as centralCoordinatorIgnoresHolder } from './central-coordinator-ignores-holder.ts'
import { variant as composedEarlyRelease } from './composed-early-release.ts'
import { variant as composedFenceOfZone } from './composed-fence-of-zone.ts'
import { variant as composedLooksAway } from './composed-looks-away.ts'
import { variant as composedNeverLeaves } from './composed-never-leaves.ts'
import { variant as giffordVotingHalf } from './gifford-voting-half.ts'
import { variant as helaryPlouzeauRaynalCompleteByName } from './helary-plouzeau-raynal-complete-by-name.ts'
import { variant as helaryPlouzeauRaynalCompleteWithoutTick } from './helary-plouzeau-raynal-complete-without-tick.ts'
import { variant as helaryPlouzeauRaynalDatesAddressee } from './helary-plouzeau-raynal-dates-addressee.ts'
import { variant as helaryPlouzeauRaynalDatesHandler } from './helary-plouzeau-raynal-dates-handler.ts'
import { variant as helaryPlouzeauRaynalLostRequest } from './helary-plouzeau-raynal-lost-request.ts'
import { variant as helaryPlouzeauRaynalMajorityAlone } from './helary-plouzeau-raynal-majority-alone.ts'
import { variant as helaryPlouzeauRaynalVoidToken } from './helary-plouzeau-raynal-void-token.ts'
import { variant as kakugawaReleasesAnother } from './kakugawa-releases-another.ts'
import { variant as lamportWithoutHearingAll } from './lamport-without-hearing-all.ts'
import { variant as maekawaFailsByQueue } from './maekawa-fails-by-queue.ts'
import { variant as maekawaForgetsEarlyInquire } from './maekawa-forgets-early-inquire.ts'
import { variant as maekawaOneShotInquire } from './maekawa-one-shot-inquire.ts'
import { variant as maekawaOriginal } from './maekawa-original.ts'
import { variant as martinRingForgetsToAsk } from './martin-ring-forgets-to-ask.ts'
import { variant as mishraSrimaniCoordinatorForgets } from './mishra-srimani-coordinator-forgets.ts'
import { variant as mishraSrimaniHasty } from './mishra-srimani-hasty.ts'
import { variant as mishraSrimaniIgnoresHigher } from './mishra-srimani-ignores-higher.ts'
import { variant as mishraSrimaniUnfrozen } from './mishra-srimani-unfrozen.ts'
import { variant as mizunoNeilsenRaoAnyAcquired } from './mizuno-neilsen-rao-any-acquired.ts'
import { variant as mizunoNeilsenRaoLateRequest } from './mizuno-neilsen-rao-late-request.ts'
import { variant as naimiTrehelRecoveryOwnRequest } from './naimi-trehel-recovery-own-request.ts'
import { variant as naimiTrehelRecoveryUnrequestedToken } from './naimi-trehel-recovery-unrequested-token.ts'
import { variant as naimiTrehelRootAsHolder } from './naimi-trehel-root-as-holder.ts'
import { variant as neilsenMizunoBusyHolding } from './neilsen-mizuno-busy-holding.ts'
import { variant as neilsenMizunoIdleSink } from './neilsen-mizuno-idle-sink.ts'
import { variant as nishioLiManningDiscardsYounger } from './nishio-li-manning-discards-younger.ts'
import { variant as nishioLiManningEarlierAck } from './nishio-li-manning-earlier-ack.ts'
import { variant as nishioLiManningEqualAges } from './nishio-li-manning-equal-ages.ts'
import { variant as nishioLiManningLateAge } from './nishio-li-manning-late-age.ts'
import { variant as nishioLiManningReturnsWithToken } from './nishio-li-manning-returns-with-token.ts'
import { variant as orderedResourcesCallersOrder } from './ordered-resources-callers-order.ts'
import { variant as raymondForgetsToAsk } from './raymond-forgets-to-ask.ts'
import { variant as raymondKCountsLateReplies } from './raymond-k-counts-late-replies.ts'
import { variant as raymondKSameNumber } from './raymond-k-same-number.ts'
import { variant as raymondPiggybackForgetsTheRequest } from './raymond-piggyback-forgets-the-request.ts'
import { variant as raymondPiggybackRecoveryOldPrivilege } from './raymond-piggyback-recovery-old-privilege.ts'
import { variant as raymondRecoveryOldPrivilege } from './raymond-recovery-old-privilege.ts'
import { variant as raynalPrimeModifiedNodeZero } from './raynal-prime-modified-node-zero.ts'
import { variant as raynalPrimeModifiedWaitsForAMessage } from './raynal-prime-modified-waits-for-a-message.ts'
import { variant as raynalPrimeModifiedWithoutOwnTerm } from './raynal-prime-modified-without-own-term.ts'
import { variant as ricartAgrawalaBroadcastWithoutList } from './ricart-agrawala-broadcast-without-list.ts'
import { variant as ricartAgrawalaImplicitHastyReply } from './ricart-agrawala-implicit-hasty-reply.ts'
import { variant as ricartAgrawalaImplicitSilentInside } from './ricart-agrawala-implicit-silent-inside.ts'
import { variant as ricartAgrawalaMediumOwnPlace } from './ricart-agrawala-medium-own-place.ts'
import { variant as ricartAgrawalaMembershipCountsReplies } from './ricart-agrawala-membership-counts-replies.ts'
import { variant as ricartAgrawalaMembershipHeardInTime } from './ricart-agrawala-membership-heard-in-time.ts'
import { variant as ricartAgrawalaMembershipHighestReceived } from './ricart-agrawala-membership-highest-received.ts'
import { variant as ricartAgrawalaMembershipProbeWithoutNumber } from './ricart-agrawala-membership-probe-without-number.ts'
import { variant as ricartAgrawalaMembershipSilentDeparture } from './ricart-agrawala-membership-silent-departure.ts'
import { variant as ricartAgrawalaMembershipUnacknowledged } from './ricart-agrawala-membership-unacknowledged.ts'
import { variant as ricartAgrawalaModuloIncrements } from './ricart-agrawala-modulo-increments.ts'
import { variant as ricartAgrawalaModuloOneLess } from './ricart-agrawala-modulo-one-less.ts'
import { variant as ricartAgrawalaModuloPrinted } from './ricart-agrawala-modulo-printed.ts'
import { variant as ricartAgrawalaPrinted } from './ricart-agrawala-printed.ts'
import { variant as ricartAgrawalaRingHoldsUntilEntry } from './ricart-agrawala-ring-holds-until-entry.ts'
import { variant as ricartAgrawalaRingNotedEarlyReply } from './ricart-agrawala-ring-noted-early-reply.ts'
import { variant as ricartAgrawalaTokenUntested } from './ricart-agrawala-token-untested.ts'
import { variant as ricartAgrawalaTokenWithoutTick } from './ricart-agrawala-token-without-tick.ts'
import { variant as ricartAgrawalaUnlockedDeferral } from './ricart-agrawala-unlocked-deferral.ts'
import { variant as ricartAgrawalaWithoutTieBreak } from './ricart-agrawala-without-tie-break.ts'
import { variant as ringElectionDeadNumber } from './ring-election-dead-number.ts'
import { variant as sandersBase } from './sanders-base.ts'
import { variant as sandersDynamicAsksOnce } from './sanders-dynamic-asks-once.ts'
import { variant as sandersMissingFail } from './sanders-missing-fail.ts'
import { variant as sandersOneShotInquire } from './sanders-one-shot-inquire.ts'
import { variant as sandersRecoveryPublished } from './sanders-recovery-published.ts'
import { variant as sandersUntagged } from './sanders-untagged.ts'
import { variant as singhalDynamicForgetsToAsk } from './singhal-dynamic-forgets-to-ask.ts'
import { variant as singhalHeuristicBelievesEverything } from './singhal-heuristic-believes-everything.ts'
import { variant as singhalHeuristicDropsOutdated } from './singhal-heuristic-drops-outdated.ts'
import { variant as srimaniReddyKeepsSurplus } from './srimani-reddy-keeps-surplus.ts'
import { variant as srimaniReddyRoundStart } from './srimani-reddy-round-start.ts'
import { variant as suzukiKasamiBoundedModulo } from './suzuki-kasami-bounded-modulo.ts'
import { variant as suzukiKasamiInterruptibleRelease } from './suzuki-kasami-interruptible-release.ts'
import { variant as thomasMajorityHalf } from './thomas-majority-half.ts'
import { variant as tokenQueueAbsorbedFirst } from './token-queue-absorbed-first.ts'
import { variant as tokenQueueAllGoPast } from './token-queue-all-go-past.ts'
import { variant as tokenQueueAlwaysRides } from './token-queue-always-rides.ts'
import { variant as tokenQueueAnswersEarlyRecall } from './token-queue-answers-early-recall.ts'
import { variant as tokenQueueBendsNothing } from './token-queue-bends-nothing.ts'
import { variant as tokenQueueCopyBends } from './token-queue-copy-bends.ts'
import { variant as tokenQueueDowngradeFreesTheToken } from './token-queue-downgrade-frees-the-token.ts'
import { variant as tokenQueueForgetsEarlyRecall } from './token-queue-forgets-early-recall.ts'
import { variant as tokenQueueForgetsTheBudget } from './token-queue-forgets-the-budget.ts'
import { variant as tokenQueueForgetsTheMissing } from './token-queue-forgets-the-missing.ts'
import { variant as tokenQueueForgetsThePassed } from './token-queue-forgets-the-passed.ts'
import { variant as tokenQueueIgnoresMissing } from './token-queue-ignores-missing.ts'
import { variant as tokenQueueKeepsUnwantedToken } from './token-queue-keeps-unwanted-token.ts'
import { variant as tokenQueueLosesThePointer } from './token-queue-loses-the-pointer.ts'
import { variant as tokenQueueOwnReadingUncounted } from './token-queue-own-reading-uncounted.ts'
import { variant as tokenQueueReadersAbsorb } from './token-queue-readers-absorb.ts'
import { variant as tokenQueueReadersChase } from './token-queue-readers-chase.ts'
import { variant as tokenQueueReadersFirst } from './token-queue-readers-first.ts'
import { variant as tokenQueueRecallBends } from './token-queue-recall-bends.ts'
import { variant as tokenQueueSameFence } from './token-queue-same-fence.ts'
import { variant as tokenQueueServesWhileMissing } from './token-queue-serves-while-missing.ts'
import { variant as tokenQueueUpdatePassesTheToken } from './token-queue-update-passes-the-token.ts'
import { variant as tokenQueueUpgradeIgnoresReaders } from './token-queue-upgrade-ignores-readers.ts'
import { variant as tokenRingElectionEveryoneMakes } from './token-ring-election-everyone-makes.ts'
import { variant as tokenRingElectionOldToken } from './token-ring-election-old-token.ts'
import { variant as tokenRingKeepsTheTimer } from './token-ring-keeps-the-timer.ts'
import { variant as tokenRingOnDemandForgetsTheStir } from './token-ring-on-demand-forgets-the-stir.ts'
import { variant as tokenRingOnDemandRestsUsed } from './token-ring-on-demand-rests-used.ts'

/** Every broken variant of a mutual exclusion algorithm. `npm run lists` writes this list from the folder. */
export const gallery: readonly BrokenVariant[] = [
  agrawalElAbbadiOnePath,
  bouabdallahLaforestAnswersInside,
  bouabdallahLaforestForgetsInquiry,
  bouabdallahLaforestPassesFirst,
  bouabdallahLaforestWithoutTurn,
  carvalhoRoucairolComparesInside,
  carvalhoRoucairolDowngradeAnswersAll,
  carvalhoRoucairolForgetsWhatItAsked,
  carvalhoRoucairolRunningClock,
  centralCoordinatorElectionDoesNotAsk,
  centralCoordinatorElectionHasty,
  centralCoordinatorElectionOldGrant,
  centralCoordinatorIgnoresHolder,
  composedEarlyRelease,
  composedFenceOfZone,
  composedLooksAway,
  composedNeverLeaves,
  giffordVotingHalf,
  helaryPlouzeauRaynalCompleteByName,
  helaryPlouzeauRaynalCompleteWithoutTick,
  helaryPlouzeauRaynalDatesAddressee,
  helaryPlouzeauRaynalDatesHandler,
  helaryPlouzeauRaynalLostRequest,
  helaryPlouzeauRaynalMajorityAlone,
  helaryPlouzeauRaynalVoidToken,
  kakugawaReleasesAnother,
  lamportWithoutHearingAll,
  maekawaFailsByQueue,
  maekawaForgetsEarlyInquire,
  maekawaOneShotInquire,
  maekawaOriginal,
  martinRingForgetsToAsk,
  mishraSrimaniCoordinatorForgets,
  mishraSrimaniHasty,
  mishraSrimaniIgnoresHigher,
  mishraSrimaniUnfrozen,
  mizunoNeilsenRaoAnyAcquired,
  mizunoNeilsenRaoLateRequest,
  naimiTrehelRecoveryOwnRequest,
  naimiTrehelRecoveryUnrequestedToken,
  naimiTrehelRootAsHolder,
  neilsenMizunoBusyHolding,
  neilsenMizunoIdleSink,
  nishioLiManningDiscardsYounger,
  nishioLiManningEarlierAck,
  nishioLiManningEqualAges,
  nishioLiManningLateAge,
  nishioLiManningReturnsWithToken,
  orderedResourcesCallersOrder,
  raymondForgetsToAsk,
  raymondKCountsLateReplies,
  raymondKSameNumber,
  raymondPiggybackForgetsTheRequest,
  raymondPiggybackRecoveryOldPrivilege,
  raymondRecoveryOldPrivilege,
  raynalPrimeModifiedNodeZero,
  raynalPrimeModifiedWaitsForAMessage,
  raynalPrimeModifiedWithoutOwnTerm,
  ricartAgrawalaBroadcastWithoutList,
  ricartAgrawalaImplicitHastyReply,
  ricartAgrawalaImplicitSilentInside,
  ricartAgrawalaMediumOwnPlace,
  ricartAgrawalaMembershipCountsReplies,
  ricartAgrawalaMembershipHeardInTime,
  ricartAgrawalaMembershipHighestReceived,
  ricartAgrawalaMembershipProbeWithoutNumber,
  ricartAgrawalaMembershipSilentDeparture,
  ricartAgrawalaMembershipUnacknowledged,
  ricartAgrawalaModuloIncrements,
  ricartAgrawalaModuloOneLess,
  ricartAgrawalaModuloPrinted,
  ricartAgrawalaPrinted,
  ricartAgrawalaRingHoldsUntilEntry,
  ricartAgrawalaRingNotedEarlyReply,
  ricartAgrawalaTokenUntested,
  ricartAgrawalaTokenWithoutTick,
  ricartAgrawalaUnlockedDeferral,
  ricartAgrawalaWithoutTieBreak,
  sandersBase,
  sandersDynamicAsksOnce,
  sandersMissingFail,
  sandersOneShotInquire,
  sandersRecoveryPublished,
  sandersUntagged,
  singhalDynamicForgetsToAsk,
  singhalHeuristicBelievesEverything,
  singhalHeuristicDropsOutdated,
  srimaniReddyKeepsSurplus,
  srimaniReddyRoundStart,
  suzukiKasamiBoundedModulo,
  suzukiKasamiInterruptibleRelease,
  thomasMajorityHalf,
  tokenQueueAbsorbedFirst,
  tokenQueueAllGoPast,
  tokenQueueAlwaysRides,
  tokenQueueAnswersEarlyRecall,
  tokenQueueBendsNothing,
  tokenQueueCopyBends,
  tokenQueueDowngradeFreesTheToken,
  tokenQueueForgetsEarlyRecall,
  tokenQueueForgetsTheBudget,
  tokenQueueForgetsTheMissing,
  tokenQueueForgetsThePassed,
  tokenQueueIgnoresMissing,
  tokenQueueKeepsUnwantedToken,
  tokenQueueLosesThePointer,
  tokenQueueOwnReadingUncounted,
  tokenQueueReadersAbsorb,
  tokenQueueReadersChase,
  tokenQueueReadersFirst,
  tokenQueueRecallBends,
  tokenQueueSameFence,
  tokenQueueServesWhileMissing,
  tokenQueueUpdatePassesTheToken,
  tokenQueueUpgradeIgnoresReaders,
  tokenRingElectionEveryoneMakes,
  tokenRingElectionOldToken,
  tokenRingKeepsTheTimer,
  tokenRingOnDemandForgetsTheStir,
  tokenRingOnDemandRestsUsed,
]

/** Every broken variant of an election. `npm run lists` writes this list too. */
export const brokenElections: readonly BrokenElection[] = [bullyNeverOff, ringElectionDeadNumber]
