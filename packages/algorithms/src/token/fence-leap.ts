/**
 * By how much the fence of a token goes up when nobody may know the last one: the node that knew it failed, or has
 * lost its memory. With the token in its hands it may have entered again and again; not more often than this.
 */
export const LEAP = 2 ** 24
