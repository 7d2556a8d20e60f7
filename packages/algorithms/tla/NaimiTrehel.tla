---------------------------- MODULE NaimiTrehel -----------------------------
(* Naimi and Trehel, "An improvement of the log(n) distributed algorithm   *)
(* for mutual exclusion", 7th International Conference on Distributed      *)
(* Computing Systems, 1987.                                                *)
(*                                                                         *)
(* LAST points to the last requester that a node has heard of, NEXT to the *)
(* node that gets the token after it. A request runs along LAST to a root, *)
(* and every node on its way points to its origin from then on.            *)
(*                                                                         *)
(* Messages overtake each other: the network is a set.                     *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  N,         \* nodes are 0 .. N-1; node 0 has the token at first
  Requests,  \* how often each node may ask
  Without    \* the rule that is left out, or "nothing"

VARIABLES
  at,        \* where the caller of each node is: "idle", "waiting", "inside"
  left,      \* how often each node may still ask
  last,      \* LAST; N at a root
  next,      \* NEXT; N if there is none
  holds,     \* the nodes that have the token
  net        \* the messages under way

Node == 0 .. N - 1
Nobody == N

Request(i, j, origin) == [type |-> "request", from |-> i, to |-> j, origin |-> origin]
Token(i, j) == [type |-> "token", from |-> i, to |-> j, origin |-> Nobody]

Init ==
  /\ at = [i \in Node |-> "idle"]
  /\ left = [i \in Node |-> Requests]
  /\ last = [i \in Node |-> IF i = 0 THEN Nobody ELSE 0]
  /\ next = [i \in Node |-> Nobody]
  /\ holds = {0}
  /\ net = {}

Ask(i) ==
  /\ at[i] = "idle"
  /\ left[i] > 0
  /\ left' = [left EXCEPT ![i] = @ - 1]
  /\ IF i \in holds
     THEN /\ at' = [at EXCEPT ![i] = "inside"]
          /\ UNCHANGED <<last, net>>
     ELSE /\ at' = [at EXCEPT ![i] = "waiting"]
          /\ last' = [last EXCEPT ![i] = Nobody]
          /\ net' = net \cup {Request(i, last[i], i)}
  /\ UNCHANGED <<next, holds>>

ReceiveRequest(m) ==
  LET i == m.to
      j == m.origin
  IN  /\ m.type = "request"
      /\ last' = [last EXCEPT ![i] = j]
      /\ IF last[i] # Nobody
         THEN /\ net' = (net \ {m}) \cup {Request(i, last[i], j)}
              /\ UNCHANGED <<next, holds>>
         ELSE IF at[i] = "inside" \/ (at[i] = "waiting" /\ Without # "waiting roots")
         THEN /\ net' = net \ {m}
              /\ next' = [next EXCEPT ![i] = j]
              /\ UNCHANGED holds
         ELSE /\ net' = (net \ {m}) \cup {Token(i, j)}
              /\ holds' = holds \ {i}
              /\ UNCHANGED next
      /\ UNCHANGED <<at, left>>

ReceiveToken(m) ==
  /\ m.type = "token"
  /\ net' = net \ {m}
  /\ holds' = holds \cup {m.to}
  /\ at' = [at EXCEPT ![m.to] = "inside"]
  /\ UNCHANGED <<left, last, next>>

Exit(i) ==
  /\ at[i] = "inside"
  /\ at' = [at EXCEPT ![i] = "idle"]
  /\ IF next[i] = Nobody
     THEN UNCHANGED <<next, holds, net>>
     ELSE /\ net' = net \cup {Token(i, next[i])}
          /\ holds' = holds \ {i}
          /\ next' = [next EXCEPT ![i] = Nobody]
  /\ UNCHANGED <<left, last>>

Next ==
  \/ \E i \in Node : Ask(i) \/ Exit(i)
  \/ \E m \in net : ReceiveRequest(m) \/ ReceiveToken(m)

Exclusion == Cardinality({i \in Node : at[i] = "inside"}) <= 1

OneToken == Cardinality(holds) + Cardinality({m \in net : m.type = "token"}) = 1

\* If nothing is under way and nobody is inside, nobody waits.
NoDeadlock ==
  net = {} => \/ \E i \in Node : at[i] = "inside"
              \/ \A i \in Node : at[i] = "idle"
=============================================================================
