/**
 * A resource that checks fences. It refuses to change for a lower fence than it has seen. Those who share may have an older
 * fence than another who shares with them, so they are never refused; but their fences count too.
 */
import type { Access } from './torture-messages.ts'

export class Register {
  #fence = -1n
  #value = 0

  access(access: Access): { readonly taken: boolean; readonly value: number } {
    const fence = BigInt(access.fence)
    const isOld = fence < this.#fence
    if (isOld && !(access.is === 'reads' && access.mode === 'shared'))
      return { taken: false, value: this.#value }
    if (!isOld) this.#fence = fence
    if (access.is === 'writes') this.#value = access.value
    return { taken: true, value: this.#value }
  }
}
