--------------------------- MODULE RicartAgrawala ---------------------------
(* Ricart and Agrawala, "An optimal algorithm for mutual exclusion in      *)
(* computer networks", Communications of the ACM 24(1), 1981.              *)
(*                                                                         *)
(* A node that wants to enter asks all others with a number above all that *)
(* it has seen. A node that has the smaller number itself defers its reply *)
(* until it leaves. A node with all replies enters.                        *)
(*                                                                         *)
(* Messages overtake each other: the network is a set. A step is a         *)
(* request, an exit, or the receipt of one message.                        *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  N,         \* nodes are 0 .. N-1
  Requests,  \* how often each node may ask
  Most,      \* no number goes beyond this
  Without    \* the rule that is left out, or "nothing"

VARIABLES
  at,        \* where the caller of each node is: "idle", "waiting", "inside"
  left,      \* how often each node may still ask
  highest,   \* Highest_Sequence_Number
  ours,      \* Our_Sequence_Number; 0 while the node wants nothing
  awaiting,  \* the nodes whose replies are missing
  deferred,  \* Reply_Deferred, as a set
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
  /\ awaiting = [i \in Node |-> {}]
  /\ deferred = [i \in Node |-> {}]
  /\ net = {}

Ask(i) ==
  /\ at[i] = "idle"
  /\ left[i] > 0
  /\ at' = [at EXCEPT ![i] = "waiting"]
  /\ left' = [left EXCEPT ![i] = @ - 1]
  /\ highest' = [highest EXCEPT ![i] = @ + 1]
  /\ ours' = [ours EXCEPT ![i] = highest[i] + 1]
  /\ awaiting' = [awaiting EXCEPT ![i] = Others(i)]
  /\ net' = net \cup {Request(i, j, highest[i] + 1) : j \in Others(i)}
  /\ UNCHANGED deferred

\* Among equal numbers the smaller node comes first.
ComesFirst(i, j, k) ==
  /\ ours[i] # 0
  /\ \/ ours[i] < k
     \/ ours[i] = k /\ i < j /\ Without # "tie break"

ReceiveRequest(m) ==
  LET i == m.to
  IN  /\ m.type = "request"
      /\ highest' = [highest EXCEPT ![i] = Max(@, m.number)]
      /\ IF ComesFirst(i, m.from, m.number)
         THEN /\ deferred' = [deferred EXCEPT ![i] = @ \cup {m.from}]
              /\ net' = net \ {m}
         ELSE /\ net' = (net \ {m}) \cup {Reply(i, m.from)}
              /\ UNCHANGED deferred
      /\ UNCHANGED <<at, left, ours, awaiting>>

ReceiveReply(m) ==
  LET i == m.to
      missing == awaiting[i] \ {m.from}
  IN  /\ m.type = "reply"
      /\ net' = net \ {m}
      /\ awaiting' = [awaiting EXCEPT ![i] = missing]
      /\ at' = [at EXCEPT ![i] = IF missing = {} THEN "inside" ELSE @]
      /\ UNCHANGED <<left, highest, ours, deferred>>

Exit(i) ==
  /\ at[i] = "inside"
  /\ at' = [at EXCEPT ![i] = "idle"]
  /\ ours' = [ours EXCEPT ![i] = 0]
  /\ deferred' = [deferred EXCEPT ![i] = {}]
  /\ net' = net \cup {Reply(i, j) : j \in deferred[i]}
  /\ UNCHANGED <<left, highest, awaiting>>

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
