/*
 * Ricart and Agrawala, "An optimal algorithm for mutual exclusion in computer
 * networks", Communications of the ACM 24(1), 1981.
 *
 * A step is a request, an exit, or the receipt of one message. Messages overtake
 * each other. A node sends another at most one request and one reply at a time,
 * so each pair of nodes has one place for either.
 *
 * -DN=3 nodes (3 or 4), -DREQUESTS=1 of each, -DWITHOUT_TIE_BREAK leaves a rule out.
 */
#define IDLE 0
#define WAITING 1
#define INSIDE 2
#define AT(i, j) ((i) * N + (j))

byte at[N];               /* where the caller of each node is */
byte left[N] = REQUESTS;  /* how often each node may still ask */
byte highest[N];          /* Highest_Sequence_Number */
byte ours[N];             /* Our_Sequence_Number; 0 while the node wants nothing */
bool awaiting[N * N];     /* whose replies are missing */
bool deferred[N * N];     /* Reply_Deferred */
byte request[N * N];      /* requests under way: the number, or 0 */
bool reply[N * N];        /* replies under way */

/* Used within a step, and 0 between steps. */
byte j, k, inside, waiting, underWay;
bool exclusion, no_deadlock, one_message;

#ifdef WITHOUT_TIE_BREAK
#define FIRST(i, f, n) (ours[i] != 0 && ours[i] < n)
#else
#define FIRST(i, f, n) (ours[i] != 0 && (ours[i] < n || (ours[i] == n && i < f)))
#endif

inline ask(i) {
  at[i] = WAITING;
  left[i]--;
  highest[i]++;
  ours[i] = highest[i];
  for (j : 0 .. N - 1) {
    if
    :: j != i ->
       one_message = request[AT(i, j)] == 0;
       assert(one_message);
       request[AT(i, j)] = ours[i];
       awaiting[AT(i, j)] = true
    :: else
    fi
  }
}

inline sendReply(i, f) {
  one_message = !reply[AT(i, f)];
  assert(one_message);
  reply[AT(i, f)] = true
}

inline receiveRequest(i, f) {
  k = request[AT(f, i)];
  request[AT(f, i)] = 0;
  if
  :: k > highest[i] -> highest[i] = k
  :: else
  fi;
  if
  :: FIRST(i, f, k) -> deferred[AT(i, f)] = true
  :: else -> sendReply(i, f)
  fi
}

inline receiveReply(i, f) {
  reply[AT(f, i)] = false;
  awaiting[AT(i, f)] = false;
  k = 0;
  for (j : 0 .. N - 1) { k = k + awaiting[AT(i, j)] }
  if
  :: k == 0 -> at[i] = INSIDE
  :: else
  fi
}

inline leave(i) {
  at[i] = IDLE;
  ours[i] = 0;
  for (j : 0 .. N - 1) {
    if
    :: deferred[AT(i, j)] -> deferred[AT(i, j)] = false; sendReply(i, j)
    :: else
    fi
  }
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
  for (j : 0 .. N * N - 1) { underWay = underWay + (request[j] != 0) + reply[j] }
  exclusion = inside <= 1;
  assert(exclusion);
  no_deadlock = inside + underWay > 0 || waiting == 0;
  assert(no_deadlock);
  j = 0;
  k = 0;
  inside = 0;
  waiting = 0;
  underWay = 0;
  exclusion = false;
  no_deadlock = false;
  one_message = false
}

#define NODE(i) \
  :: d_step { at[i] == IDLE && left[i] > 0 -> ask(i); judge() } \
  :: d_step { at[i] == INSIDE -> leave(i); judge() }
#define PAIR(i, f) \
  :: d_step { request[AT(f, i)] != 0 -> receiveRequest(i, f); judge() } \
  :: d_step { reply[AT(f, i)] -> receiveReply(i, f); judge() }

active proctype world() {
  do
  NODE(0) NODE(1)
  PAIR(0, 1) PAIR(1, 0)
#if N > 2
  NODE(2)
  PAIR(0, 2) PAIR(1, 2) PAIR(2, 0) PAIR(2, 1)
#endif
#if N > 3
  NODE(3)
  PAIR(0, 3) PAIR(1, 3) PAIR(2, 3) PAIR(3, 0) PAIR(3, 1) PAIR(3, 2)
#endif
  od
}
