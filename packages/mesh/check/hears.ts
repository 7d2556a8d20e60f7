/**
 * Who looks alive to the receiver of a message. Everybody: then a proposer with enough promises waits for whoever has not
 * reported (R12). Or those with a bit here, who say that they do not hear it: then it leaves them out (R8).
 */
export type Hears = number

export const EVERYBODY: Hears = -1

export const NOBODY: Hears = 0

/**
 * Beside whoever is heard: a voter that gets INSTALL in this event waits, as if it owed something to one whom the record lacks,
 * until it is woken. So debts may be forgotten that protect nobody, and yet be waited for.
 */
export const WAITS: Hears = 16
export const EVERYBODY_WAITS: Hears = 15 + WAITS
