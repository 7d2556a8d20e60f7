import type { Painter } from '@turnwise/core/trace/diagram'
import type { Terminal } from '../../terminal/terminal.ts'

export function diagramPainter({ paint }: Pick<Terminal, 'paint'>): Painter {
  return {
    time: paint.dim,
    waiting: paint.yellow,
    inside: paint.green,
    crashed: paint.red,
    message: paint.cyan,
    violation: (text) => paint.red(paint.bold(text)),
    note: paint.dim,
  }
}
