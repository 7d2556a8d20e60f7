/**
 * Which nodes look alive to the receiver of a message. Everybody: then a proposer with enough promises waits for the nodes that have
 * not reported (R12). Otherwise the nodes with a bit here look alive, but say that they do not hear it: then it leaves them out (R8).
 */
export type Hears = number

export const EVERYBODY: Hears = -1

export const NOBODY: Hears = 0

/**
 * An additional bit: a voter that gets INSTALL in this event waits until it is woken, as if it owed something to a session that the
 * record lacks. So the model may forget debts that protect no one, and still wait for them.
 */
export const WAITS: Hears = 16
export const EVERYBODY_WAITS: Hears = 15 + WAITS
