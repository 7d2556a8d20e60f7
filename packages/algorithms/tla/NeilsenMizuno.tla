--------------------------- MODULE NeilsenMizuno ----------------------------
(* Neilsen and Mizuno, "A DAG-based algorithm for distributed mutual       *)
(* exclusion", 11th International Conference on Distributed Computing      *)
(* Systems, 1991.                                                          *)
(*                                                                         *)
(* The nodes form a tree whose edges point to the sink, the node that      *)
(* asked last. A request runs along them from neighbour to neighbour, and  *)
(* turns every edge back to where it came from. The old sink notes the     *)
(* origin as its NEXT, or sends it an idle token directly.                 *)
(*                                                                         *)
(* Messages overtake each other: the network is a set. The tree is binary, *)
(* with node 0 as its root.                                                *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  N,         \* nodes are 0 .. N-1; node 0 has the token at first
  Requests,  \* how often each node may ask
  Without    \* the rule that is left out, or "nothing"

VARIABLES
  at,        \* where the caller of each node is: "idle", "waiting", "inside"
  left,      \* how often each node may still ask
  last,      \* LAST: the neighbour towards the sink; N at a sink
  next,      \* NEXT; N if there is none
  holding,   \* HOLDING: where the token lies idle
  net        \* the messages under way

Node == 0 .. N - 1
Nobody == N
Parent(i) == (i - 1) \div 2

Request(i, j, origin) == [type |-> "request", from |-> i, to |-> j, origin |-> origin]
Token(i, j) == [type |-> "token", from |-> i, to |-> j, origin |-> Nobody]

Init ==
  /\ at = [i \in Node |-> "idle"]
  /\ left = [i \in Node |-> Requests]
  /\ last = [i \in Node |-> IF i = 0 THEN Nobody ELSE Parent(i)]
  /\ next = [i \in Node |-> Nobody]
  /\ holding = {0}
  /\ net = {}

Ask(i) ==
  /\ at[i] = "idle"
  /\ left[i] > 0
  /\ left' = [left EXCEPT ![i] = @ - 1]
  /\ IF i \in holding
     THEN /\ at' = [at EXCEPT ![i] = "inside"]
          /\ holding' = holding \ {i}
          /\ UNCHANGED <<last, net>>
     ELSE /\ at' = [at EXCEPT ![i] = "waiting"]
          /\ last' = [last EXCEPT ![i] = Nobody]
          /\ net' = net \cup {Request(i, last[i], i)}
          /\ UNCHANGED holding
  /\ UNCHANGED next

ReceiveRequest(m) ==
  LET i == m.to
      j == m.origin
  IN  /\ m.type = "request"
      /\ last' = [last EXCEPT ![i] = m.from]
      /\ IF last[i] # Nobody
         THEN /\ net' = (net \ {m}) \cup {Request(i, last[i], j)}
              /\ UNCHANGED <<next, holding>>
         ELSE IF i \in holding /\ Without # "idle tokens"
         THEN /\ net' = (net \ {m}) \cup {Token(i, j)}
              /\ holding' = holding \ {i}
              /\ UNCHANGED next
         ELSE /\ net' = net \ {m}
              /\ next' = [next EXCEPT ![i] = j]
              /\ UNCHANGED holding
      /\ UNCHANGED <<at, left>>

ReceiveToken(m) ==
  /\ m.type = "token"
  /\ net' = net \ {m}
  /\ at' = [at EXCEPT ![m.to] = "inside"]
  /\ UNCHANGED <<left, last, next, holding>>

Exit(i) ==
  /\ at[i] = "inside"
  /\ at' = [at EXCEPT ![i] = "idle"]
  /\ IF next[i] = Nobody
     THEN /\ holding' = holding \cup {i}
          /\ UNCHANGED <<next, net>>
     ELSE /\ net' = net \cup {Token(i, next[i])}
          /\ next' = [next EXCEPT ![i] = Nobody]
          /\ UNCHANGED holding
  /\ UNCHANGED <<left, last>>

Next ==
  \/ \E i \in Node : Ask(i) \/ Exit(i)
  \/ \E m \in net : ReceiveRequest(m) \/ ReceiveToken(m)

Exclusion == Cardinality({i \in Node : at[i] = "inside"}) <= 1

OneToken ==
  Cardinality({i \in Node : i \in holding \/ at[i] = "inside"})
    + Cardinality({m \in net : m.type = "token"}) = 1

\* If nothing is under way and nobody is inside, nobody waits.
NoDeadlock ==
  net = {} => \/ \E i \in Node : at[i] = "inside"
              \/ \A i \in Node : at[i] = "idle"
=============================================================================
