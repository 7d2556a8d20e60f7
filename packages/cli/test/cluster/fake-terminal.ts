import { EventEmitter } from 'node:events'

export class FakeInput extends EventEmitter {
  isRaw = false
  setRawMode(isRaw: boolean): void {
    this.isRaw = isRaw
  }
  setEncoding(): void {}
  resume(): void {}
  pause(): void {}
}

export class FakeOutput extends EventEmitter {
  columns = 80
  rows = 24
  written: string[] = []
  write(text: string): void {
    this.written.push(text)
  }
  /** What was written since the last time. */
  take(): string {
    return this.written.splice(0).join('')
  }
}
