------------------------- MODULE CarvalhoRoucairol --------------------------
(* Carvalho and Roucairol, "On mutual exclusion in computer networks",     *)
(* Communications of the ACM 26(2), 1983.                                  *)
(*                                                                         *)
(* As Ricart-Agrawala, but a permission holds until its giver asks. A node *)
(* asks only those whose permission it does not have. One that gives its   *)
(* permission away while it waits asks for it again at once.               *)
(*                                                                         *)
(* Messages overtake each other: the network is a set.                     *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  N,         \* nodes are 0 .. N-1
  Requests,  \* how often each node may ask
  Most       \* no number goes beyond this

VARIABLES
  at,        \* where the caller of each node is: "idle", "waiting", "inside"
  left,      \* how often each node may still ask
  highest,   \* the highest number sent or received
  ours,      \* the number of the request of a node that waits, else 0
  has,       \* the nodes whose permission each node has
  deferred,  \* the nodes that wait for our reply until we leave
  net        \* the messages under way

Node == 0 .. N - 1
Others(i) == Node \ {i}
Max(a, b) == IF a > b THEN a ELSE b

Request(i, j, k) == [type |-> "request", from |-> i, to |-> j, number |-> k]
Reply(i, j) == [type |-> "reply", from |-> i, to |-> j, number |-> 0]

Init ==
  /\ at = [i \in Node |-> "idle"]
  /\ left = [i \in Node |-> Requests]
  /\ highest = [i \in Node |-> 0]
  /\ ours = [i \in Node |-> 0]
  /\ has = [i \in Node |-> {}]
  /\ deferred = [i \in Node |-> {}]
  /\ net = {}

\* A node with all permissions goes in at once, without a number.
Ask(i) ==
  /\ at[i] = "idle"
  /\ left[i] > 0
  /\ left' = [left EXCEPT ![i] = @ - 1]
  /\ IF has[i] = Others(i)
     THEN /\ at' = [at EXCEPT ![i] = "inside"]
          /\ UNCHANGED <<highest, ours, net>>
     ELSE /\ at' = [at EXCEPT ![i] = "waiting"]
          /\ highest' = [highest EXCEPT ![i] = @ + 1]
          /\ ours' = [ours EXCEPT ![i] = highest[i] + 1]
          /\ net' = net \cup {Request(i, j, highest[i] + 1) : j \in Others(i) \ has[i]}
  /\ UNCHANGED <<has, deferred>>

\* A node inside defers every request; one that waits those behind its own.
Defers(i, j, k) ==
  \/ at[i] = "inside"
  \/ at[i] = "waiting" /\ (ours[i] < k \/ (ours[i] = k /\ i < j))

ReceiveRequest(m) ==
  LET i == m.to
      j == m.from
      again == IF at[i] = "waiting" /\ j \in has[i] THEN {Request(i, j, ours[i])} ELSE {}
  IN  /\ m.type = "request"
      /\ highest' = [highest EXCEPT ![i] = Max(@, m.number)]
      /\ IF Defers(i, j, m.number)
         THEN /\ deferred' = [deferred EXCEPT ![i] = @ \cup {j}]
              /\ net' = net \ {m}
              /\ UNCHANGED has
         ELSE /\ has' = [has EXCEPT ![i] = @ \ {j}]
              /\ net' = (net \ {m}) \cup {Reply(i, j)} \cup again
              /\ UNCHANGED deferred
      /\ UNCHANGED <<at, left, ours>>

ReceiveReply(m) ==
  LET i == m.to
      permitted == has[i] \cup {m.from}
      enters == at[i] = "waiting" /\ permitted = Others(i)
  IN  /\ m.type = "reply"
      /\ net' = net \ {m}
      /\ has' = [has EXCEPT ![i] = permitted]
      /\ at' = [at EXCEPT ![i] = IF enters THEN "inside" ELSE @]
      /\ ours' = [ours EXCEPT ![i] = IF enters THEN 0 ELSE @]
      /\ UNCHANGED <<left, highest, deferred>>

\* Who gives a permission loses the one that it had from the other.
Exit(i) ==
  /\ at[i] = "inside"
  /\ at' = [at EXCEPT ![i] = "idle"]
  /\ has' = [has EXCEPT ![i] = @ \ deferred[i]]
  /\ deferred' = [deferred EXCEPT ![i] = {}]
  /\ net' = net \cup {Reply(i, j) : j \in deferred[i]}
  /\ UNCHANGED <<left, highest, ours>>

Next ==
  \/ \E i \in Node : Ask(i) \/ Exit(i)
  \/ \E m \in net : ReceiveRequest(m) \/ ReceiveReply(m)

Bounded == \A i \in Node : highest[i] <= Most

Exclusion == Cardinality({i \in Node : at[i] = "inside"}) <= 1

\* If nothing is under way and nobody is inside, nobody waits.
NoDeadlock ==
  net = {} => \/ \E i \in Node : at[i] = "inside"
              \/ \A i \in Node : at[i] = "idle"
=============================================================================
