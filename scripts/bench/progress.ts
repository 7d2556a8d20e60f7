/** How far a long measurement is, on standard error: the table comes when all of it is done. */
export interface Progress {
  begins(what: string): void
  ended(what: string, figure: string): void
  /** All of it is done. */
  clear(): void
}

interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** A terminal shows what is being measured, in a line that goes away; a file gets a line for each measurement that is done. */
export function progressOn(output: Output): Progress {
  if (output.isTTY !== true) {
    return { begins() {}, ended: (what, figure) => void output.write(`${what}: ${figure}\n`), clear() {} }
  }
  const show = (line: string) => `\r${line.padEnd(60)}`
  return {
    begins: (what) => void output.write(show(what)),
    ended() {},
    clear: () => void output.write(`${show('')}\r`),
  }
}
