/*
 * Lamport, "Time, clocks, and the ordering of events in a distributed system",
 * Communications of the ACM 21(7), 1978.
 *
 * A step is a request, an exit, or the receipt of one message. Channels keep order.
 * Every event moves the clock: it goes past the stamp of what it receives.
 *
 * -DN=3 nodes (2 or 3), -DREQUESTS=1 of each, -DWITHOUT_HEARING_ALL leaves a rule out.
 */
#define IDLE 0
#define WAITING 1
#define INSIDE 2
#define AT(i, j) ((i) * N + (j))

/* The messages. */
#define REQUEST 1
#define REPLY 2
#define RELEASE 3

byte at[N];                 /* where the caller of each node is */
byte left[N] = REQUESTS;    /* how often each node may still ask */
byte clock[N];              /* C */
byte queue[N * N];          /* the stamp of j's request in i's queue, or 0 */
bool heard[N * N];          /* whether j sent i something stamped later than i's request */
chan channel[N * N] = [3 * REQUESTS] of { byte, byte };

/* Used within a step, and 0 between steps. */
byte j, kind, stamp, missing, inside, waiting, underWay;
bool exclusion, no_deadlock;

/* The total order of stamps: by time, then by node. */
#define BEFORE(s, a, t, b) ((s) < (t) || ((s) == (t) && (a) < (b)))

inline sendToOthers(i, what) {
  for (j : 0 .. N - 1) {
    if
    :: j != i -> channel[AT(i, j)] ! what, clock[i]
    :: else
    fi
  }
}

inline enterIfFirst(i) {
  missing = 0;
  for (j : 0 .. N - 1) {
    missing = missing + (queue[AT(i, j)] != 0 && BEFORE(queue[AT(i, j)], j, queue[AT(i, i)], i));
#ifndef WITHOUT_HEARING_ALL
    missing = missing + !heard[AT(i, j)];
#endif
  }
  if
  :: at[i] == WAITING && missing == 0 ->
     at[i] = INSIDE;
     for (j : 0 .. N - 1) { heard[AT(i, j)] = false }
  :: else
  fi
}

inline ask(i) {
  at[i] = WAITING;
  left[i]--;
  clock[i]++;
  queue[AT(i, i)] = clock[i];
  heard[AT(i, i)] = true;
  sendToOthers(i, REQUEST);
  enterIfFirst(i)
}

inline receive(i, f) {
  channel[AT(f, i)] ? kind, stamp;
  if
  :: stamp > clock[i] -> clock[i] = stamp + 1
  :: else -> clock[i]++
  fi;
  if
  :: at[i] == WAITING && BEFORE(queue[AT(i, i)], i, stamp, f) -> heard[AT(i, f)] = true
  :: else
  fi;
  if
  :: kind == REQUEST -> queue[AT(i, f)] = stamp; channel[AT(i, f)] ! REPLY, clock[i]
  :: kind == RELEASE -> queue[AT(i, f)] = 0
  :: else
  fi;
  enterIfFirst(i)
}

inline leave(i) {
  at[i] = IDLE;
  clock[i]++;
  queue[AT(i, i)] = 0;
  sendToOthers(i, RELEASE)
}

/* After every step: at most one is inside, and if nothing can happen, nobody waits. */
inline judge() {
  inside = 0;
  waiting = 0;
  underWay = 0;
  for (j : 0 .. N - 1) {
    inside = inside + (at[j] == INSIDE);
    waiting = waiting + (at[j] == WAITING);
  }
  for (j : 0 .. N * N - 1) { underWay = underWay + len(channel[j]) }
  exclusion = inside <= 1;
  assert(exclusion);
  no_deadlock = inside + underWay > 0 || waiting == 0;
  assert(no_deadlock);
  j = 0;
  kind = 0;
  stamp = 0;
  missing = 0;
  inside = 0;
  waiting = 0;
  underWay = 0;
  exclusion = false;
  no_deadlock = false
}

#define NODE(i) \
  :: d_step { at[i] == IDLE && left[i] > 0 -> ask(i); judge() } \
  :: d_step { at[i] == INSIDE -> leave(i); judge() }
#define PAIR(i, f) :: d_step { len(channel[AT(f, i)]) > 0 -> receive(i, f); judge() }

active proctype world() {
  do
  NODE(0) NODE(1)
  PAIR(0, 1) PAIR(1, 0)
#if N > 2
  NODE(2)
  PAIR(0, 2) PAIR(1, 2) PAIR(2, 0) PAIR(2, 1)
#endif
  od
}
