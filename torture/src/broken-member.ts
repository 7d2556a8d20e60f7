/** A node of the torture whose protocol has one mistake, which is named as the argument. From the sources: no package has it. */
import { brokenMeetings } from '../../packages/mesh/broken/meeting.ts'
import { broken } from '../../packages/mesh/broken/rules.ts'
import { enforce } from '../../packages/mesh/broken/under.ts'
import { meetingRules } from '../../packages/mesh/src/protocol/meeting/meeting-rules.ts'

const [, , rule = '', at] = process.argv
if (at === undefined) enforce(broken(rule))
else Object.assign(meetingRules, brokenMeetings.find(({ name }) => name === rule)?.change)
await import('./torture-member.ts')
