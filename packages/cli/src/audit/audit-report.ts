/** What became of audits, in words. */
import type { AuditedHold, AuditFinding } from '@turnwise/mesh/protocol/audit-history'
import { nameOf } from '@turnwise/mesh/protocol/names'
import { counted } from '../terminal/terminal.ts'
import type { Audited, AuditedFile } from './audit-files.ts'

export function auditText(audited: Audited): string {
  const { files, history } = audited
  const names = new Set(history.holds.map(({ key }) => key)).size
  const machines = new Set(files.map(({ head }) => head.machine)).size
  const apart =
    machines === 1 ? '' : `, on ${counted(machines, 'machine')}: between them only fences are compared`
  const troubles = troublesIn(audited)
  return [
    ...files.map(fileText),
    `${counted(history.holds.length, 'hold')} of ${counted(names, 'name')}${apart}; ${counted(history.compared, 'message')} compared at both ends`,
    ...troubles.map((text) => `violated: ${text}`),
    ...(troubles.length === 0 ? [heldText(audited)] : []),
  ].join('\n')
}

export function heldText({ files }: Audited): string {
  const events = files.reduce((sum, file) => sum + file.events, 0)
  return `${counted(events, 'event')}: every node did what the rules say, and the judges found nothing`
}

/** Everything that must not be, a line for each. */
export function troublesIn({ files, findings }: Audited): string[] {
  return [
    ...files.flatMap(({ path, head, difference }) =>
      difference === null
        ? []
        : [`node ${head.id}, ${path}, line ${difference.line}: ${differenceText(difference)}`],
    ),
    ...findings.map(findingText),
  ]
}

function fileText({ path, head, events, torn }: AuditedFile): string {
  const part = head.part === 0 ? '' : ` from part ${head.part} on`
  const of = `${path}: node ${head.id}${part}, ${counted(events, 'event')}`
  return torn === null ? of : `${of}; it breaks off in line ${torn}`
}

function differenceText({ what, event, effects }: NonNullable<AuditedFile['difference']>): string {
  const now = effects.length === 0 ? 'nothing' : effects.map(({ kind }) => kind).join(', ')
  return (
    `${what}. Told ${JSON.stringify(event).slice(0, 200)}, it does now: ${now}. ` +
    'Another version of turnwise wrote the audit, or the file was changed, or this is a bug'
  )
}

function findingText(finding: AuditFinding): string {
  if (finding.judge === 'message') return `${finding.link}: message ${finding.seq} is not what was sent`
  const { judge, holds, isRepeated } = finding
  const wrong = isRepeated ? 'have the same fence' : WRONG[judge]
  return `${nameOf(holds[0]?.key ?? '')}: ${holds.map(holdText).join('; ')}: they ${wrong}`
}

const WRONG = { exclusion: 'hold it together', fence: 'have fences that do not rise' }

function holdText({ id, mode, fence, from, until, wall }: AuditedHold): string {
  const how = mode === 'exclusive' ? 'alone' : mode === 'shared' ? 'shared' : 'to update'
  return `${id} ${how} with fence ${fence} from ${timeText(from + wall)} to ${timeText(until + wall)}`
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(11, 23)
}

export function auditJson({ files, history, findings }: Audited): unknown {
  return {
    files: files.map(({ path, head, events, torn, difference }) => ({
      path,
      id: head.id,
      part: head.part,
      events,
      torn,
      difference: difference && { line: difference.line, what: difference.what, event: difference.event },
    })),
    holds: history.holds.length,
    messages: history.compared,
    findings: findings.map(findingText),
  }
}
