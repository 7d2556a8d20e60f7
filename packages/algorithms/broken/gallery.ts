import type { BrokenVariant } from '../src/broken-variant.ts'
import { variant as centralCoordinatorIgnoresHolder } from './central-coordinator-ignores-holder.ts'
import { variant as lamportWithoutHearingAll } from './lamport-without-hearing-all.ts'
import { variant as maekawaOneShotInquire } from './maekawa-one-shot-inquire.ts'
import { variant as maekawaOriginal } from './maekawa-original.ts'
import { variant as raymondForgetsToAsk } from './raymond-forgets-to-ask.ts'
import { variant as ricartAgrawalaPrinted } from './ricart-agrawala-printed.ts'
import { variant as ricartAgrawalaWithoutTieBreak } from './ricart-agrawala-without-tie-break.ts'
import { variant as suzukiKasamiInterruptibleRelease } from './suzuki-kasami-interruptible-release.ts'

/** Every broken variant. A test fails when a file is missing here. */
export const gallery: readonly BrokenVariant[] = [
  centralCoordinatorIgnoresHolder,
  lamportWithoutHearingAll,
  maekawaOneShotInquire,
  maekawaOriginal,
  raymondForgetsToAsk,
  ricartAgrawalaPrinted,
  ricartAgrawalaWithoutTieBreak,
  suzukiKasamiInterruptibleRelease,
]
