import type { NodeId } from '../algorithm.ts'
import { type Happening, happenings, type NodeStatus } from './happening.ts'
import { causeText, effectText, messageLabel, NAMED, reasonsOf } from './sentence.ts'
import type { Trace } from './trace.ts'

/**
 * A run as a Mermaid sequence diagram. A message is drawn where it arrives, because Mermaid draws level arrows
 * only; one that was still on its way at the end is not drawn. Who is inside is active. Ends with a newline.
 */
export function renderMermaid(trace: Trace): string {
  const lines = ['sequenceDiagram']
  const active = new Set<NodeId>()
  let known: readonly NodeStatus[] = []
  for (let node = 0; node < trace.header.nodes; node += 1) lines.push(`  participant ${NAMED.node(node)}`)
  for (const happening of happenings(trace)) {
    lines.push(...happeningLines(happening, trace.header.nodes))
    if (happening.statuses !== known) lines.push(...activationLines(happening.statuses, active))
    known = happening.statuses
  }
  // Mermaid draws a bar when it ends, so those still inside are ended with the diagram.
  for (const node of active) lines.push(`  deactivate ${NAMED.node(node)}`)
  return `${lines.join('\n')}\n`
}

function happeningLines(happening: Happening, nodes: number): string[] {
  const lines = [arrowLine(happening) ?? noteLine(happening.concerns, nodes, causeText(happening, NAMED))]
  for (const effect of happening.consequences) {
    // What is sent is drawn when it arrives.
    if (effect.is === 'send') continue
    lines.push(noteLine(happening.concerns, nodes, effectText(effect, happening, NAMED)))
  }
  for (const reason of reasonsOf(happening)) lines.push(noteLine(happening.concerns, nodes, reason))
  return lines
}

function arrowLine({ cause, transit }: Happening): string | null {
  if (transit === null || transit.to === null) return null
  if (cause.is !== 'receive' && cause.is !== 'lose') return null
  const remarks = [transit.again ? 'again' : '', transit.corrupted ? 'corrupted' : ''].filter(Boolean)
  const label = [messageLabel(transit.message), ...remarks.map((remark) => `(${remark})`)].join(' ')
  const arrow = cause.is === 'lose' ? '-x' : '->>'
  return `  ${NAMED.node(transit.from)}${arrow}${NAMED.node(transit.to)}: ${escapeText(label)}`
}

/** A note spans from the first to the last node it concerns; one that concerns nobody spans all. */
function noteLine(concerns: readonly NodeId[], nodes: number, text: string): string {
  const first = concerns.length === 0 ? 0 : Math.min(...concerns)
  const last = concerns.length === 0 ? nodes - 1 : Math.max(...concerns)
  const over = first === last ? NAMED.node(first) : `${NAMED.node(first)},${NAMED.node(last)}`
  return `  Note over ${over}: ${escapeText(text)}`
}

/** Ending a bar that has not begun is an error in Mermaid, so we remember which nodes are active. */
function activationLines(statuses: readonly NodeStatus[], active: Set<NodeId>): string[] {
  const lines: string[] = []
  statuses.forEach((status, node) => {
    if (status === 'inside' && !active.has(node)) {
      active.add(node)
      lines.push(`  activate ${NAMED.node(node)}`)
    } else if (status !== 'inside' && status !== 'paused' && active.delete(node)) {
      lines.push(`  deactivate ${NAMED.node(node)}`)
    }
  })
  return lines
}

/** Mermaid ends a text at `;` and `#`, reads `%%` as a comment, `<` as markup and `$$` as a formula. */
function escapeText(text: string): string {
  return text.replace(/[#;%<>&$]/g, (character) => `#${character.charCodeAt(0)};`)
}
