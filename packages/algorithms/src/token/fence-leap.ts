/**
 * By how much a new token raises the fence if no living node knows the last one: the node that knew it failed, or has
 * lost its memory. That node may have entered repeatedly with the token, but not more often than this.
 */
export const LEAP = 2 ** 24
