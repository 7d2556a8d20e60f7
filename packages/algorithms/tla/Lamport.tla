------------------------------ MODULE Lamport -------------------------------
(* Lamport, "Time, clocks, and the ordering of events in a distributed     *)
(* system", Communications of the ACM 21(7), 1978.                         *)
(*                                                                         *)
(* All nodes keep the same queue of stamped requests. A node enters when   *)
(* its request is first in its queue, and every other node has sent it     *)
(* something stamped later. Every event moves the clock: it goes past the  *)
(* stamp of what it receives.                                              *)
(*                                                                         *)
(* Channels keep order: each is a sequence.                                *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
  N,         \* nodes are 0 .. N-1
  Requests,  \* how often each node may ask
  Most,      \* no clock goes beyond this
  Without    \* the rule that is left out, or "nothing"

VARIABLES
  at,        \* where the caller of each node is: "idle", "waiting", "inside"
  left,      \* how often each node may still ask
  clock,     \* C
  queue,     \* queue[i][j]: the stamp of j's request in i's queue, or 0
  heard,     \* the nodes that sent something stamped later than our request
  channel    \* channel[i][j]: the messages from i to j

Node == 0 .. N - 1
Max(a, b) == IF a > b THEN a ELSE b

\* The total order of stamps: by time, then by node.
Before(s, i, t, j) == s < t \/ (s = t /\ i < j)

ToAll(i, m) ==
  [channel EXCEPT ![i] = [j \in Node |-> IF j = i THEN <<>> ELSE Append(channel[i][j], m)]]

Init ==
  /\ at = [i \in Node |-> "idle"]
  /\ left = [i \in Node |-> Requests]
  /\ clock = [i \in Node |-> 0]
  /\ queue = [i \in Node |-> [j \in Node |-> 0]]
  /\ heard = [i \in Node |-> {}]
  /\ channel = [i \in Node |-> [j \in Node |-> <<>>]]

\* With this queue, and having heard from these, may node i go in?
MayEnter(i, inQueue, from) ==
  /\ from = Node \/ Without = "hearing all"
  /\ \A j \in Node \ {i} : inQueue[j] # 0 => Before(inQueue[i], i, inQueue[j], j)

Ask(i) ==
  LET now == clock[i] + 1
      enters == MayEnter(i, [queue[i] EXCEPT ![i] = now], {i})
  IN  /\ at[i] = "idle"
      /\ left[i] > 0
      /\ at' = [at EXCEPT ![i] = IF enters THEN "inside" ELSE "waiting"]
      /\ left' = [left EXCEPT ![i] = @ - 1]
      /\ clock' = [clock EXCEPT ![i] = now]
      /\ queue' = [queue EXCEPT ![i][i] = now]
      /\ heard' = [heard EXCEPT ![i] = IF enters THEN {} ELSE {i}]
      /\ channel' = ToAll(i, [type |-> "request", time |-> now])

\* Node i receives from j: its clock moves, it notes the request or its end, and enters if it may.
Receive(i, j) ==
  /\ channel[j][i] # <<>>
  /\ LET m == Head(channel[j][i])
         now == Max(clock[i], m.time) + 1
         from == IF at[i] = "waiting" /\ Before(queue[i][i], i, m.time, j)
                 THEN heard[i] \cup {j} ELSE heard[i]
         inQueue == CASE m.type = "request" -> [queue[i] EXCEPT ![j] = m.time]
                      [] m.type = "release" -> [queue[i] EXCEPT ![j] = 0]
                      [] OTHER -> queue[i]
         enters == at[i] = "waiting" /\ MayEnter(i, inQueue, from)
         rest == [channel EXCEPT ![j][i] = Tail(@)]
     IN  /\ clock' = [clock EXCEPT ![i] = now]
         /\ queue' = [queue EXCEPT ![i] = inQueue]
         /\ heard' = [heard EXCEPT ![i] = IF enters THEN {} ELSE from]
         /\ at' = [at EXCEPT ![i] = IF enters THEN "inside" ELSE @]
         /\ channel' = IF m.type = "request"
                       THEN [rest EXCEPT ![i][j] = Append(@, [type |-> "reply", time |-> now])]
                       ELSE rest
         /\ UNCHANGED left

Exit(i) ==
  LET now == clock[i] + 1
  IN  /\ at[i] = "inside"
      /\ at' = [at EXCEPT ![i] = "idle"]
      /\ clock' = [clock EXCEPT ![i] = now]
      /\ queue' = [queue EXCEPT ![i][i] = 0]
      /\ channel' = ToAll(i, [type |-> "release", time |-> now])
      /\ UNCHANGED <<left, heard>>

Next ==
  \/ \E i \in Node : Ask(i) \/ Exit(i)
  \/ \E i \in Node : \E j \in Node \ {i} : Receive(i, j)

Bounded == \A i \in Node : clock[i] <= Most

Exclusion == Cardinality({i \in Node : at[i] = "inside"}) <= 1

\* If nothing is under way and nobody is inside, nobody waits.
NoDeadlock ==
  (\A i, j \in Node : channel[i][j] = <<>>) =>
    \/ \E i \in Node : at[i] = "inside"
    \/ \A i \in Node : at[i] = "idle"
=============================================================================
