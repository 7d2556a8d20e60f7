/** The event loop does nothing else for so long. Its thread sleeps, and leaves the processor to other tests. */
export function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
