import { InvalidInput } from '@turnwise/core/invalid-input'
import type { AuditedHold } from '@turnwise/mesh/protocol/audit-history'
import { isGroup, nameOf } from '@turnwise/mesh/protocol/names'
import type { Command } from 'commander'
import { type Audited, auditFiles } from '../../audit/audit-files.ts'
import { auditJson, auditText, troublesIn } from '../../audit/audit-report.ts'
import { historyText } from '../../audit/hold-history.ts'
import { given, writable, writeText } from '../../terminal/input.ts'
import { Progress } from '../../terminal/progress.ts'
import type { Terminal } from '../../terminal/terminal.ts'

interface AuditCommandOptions {
  readonly json?: true
  readonly history?: string
  readonly name?: string
}

export function addAudit(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  program
    .command('audit')
    .summary('verify that real runs followed the rules that were checked')
    .description(
      'Verifies the audits of nodes. A node writes one if it joins with `audit: { file }`, or has `audit` in its file.\n\n' +
        'Every event goes again through the rules that the checker explores, and each node must have done what they ' +
        'say. Then judges look at the holds of all nodes: never two inside together, and fences rise. What a node ' +
        'received on a link must be what the other end sent. Clocks of different machines cannot be compared: for ' +
        'them, only fences are judged.',
    )
    .argument('<file...>', 'audits of one mesh: of all nodes, or of some')
    .option('--history <file>', 'write the holds as a history for Knossos (.edn) or Porcupine (.json)')
    .option('--name <name>', 'with --history: which lock, if there are several')
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      '\nExit code: 0 everything holds, 1 a replay differs or a judge found a violation, 2 bad input.',
    )
    .action(async (paths: readonly string[], options: AuditCommandOptions) => {
      const format = formatOf(options.history)
      const progress = new Progress(terminal, 'audit')
      const audited = await auditFiles(paths, (share, path) => progress.show(share, path))
      progress.done()
      if (options.history !== undefined)
        writeText(options.history, historyText(holdsOf(audited, options.name), format))
      terminal.print(options.json ? JSON.stringify(auditJson(audited), null, 2) : auditText(audited))
      if (troublesIn(audited).length > 0) exit(1)
    })
}

/** Before long work. */
function formatOf(path: string | undefined): 'edn' | 'json' {
  if (path === undefined) return 'edn'
  return given('--history', path, () => {
    if (!/\.(edn|json)$/.test(path)) throw new InvalidInput('expected a file that ends in .edn or .json')
    writable(path)
    return path.endsWith('.edn') ? 'edn' : 'json'
  })
}

function holdsOf({ history }: Audited, name: string | undefined): readonly AuditedHold[] {
  const keys = [...new Set(history.holds.map(({ key }) => key))]
  const fitting = name === undefined ? keys : keys.filter((key) => nameOf(key) === name)
  const [key] = fitting
  if (key === undefined)
    throw new InvalidInput(name === undefined ? 'nobody held anything' : `nobody held "${name}"`)
  if (fitting.length > 1)
    throw new InvalidInput(`--name: expected one of ${keys.map(nameOf).join(', ')} for --history`)
  if (isGroup(key))
    throw new InvalidInput(`--history: "${nameOf(key)}" is a group, and the history is of one lock`)
  return history.holds.filter((hold) => hold.key === key)
}
