----------------------------- MODULE TokenRing ------------------------------
(* Le Lann, "Distributed systems: towards a formal approach", IFIP         *)
(* Congress, 1977.                                                         *)
(*                                                                         *)
(* A token goes round a ring for ever. A node that wants to enter waits    *)
(* until it comes by, keeps it while inside, and passes it on. A token     *)
(* that nobody wants rests for a while at every node.                      *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  N,         \* nodes are 0 .. N-1; node 0 has the token at first
  Requests,  \* how often each node may ask
  Without    \* the rule that is left out, or "nothing"

VARIABLES
  at,        \* where the caller of each node is: "idle", "waiting", "inside"
  left,      \* how often each node may still ask
  holds,     \* the nodes that have the token
  pausing,   \* the nodes whose pause has yet to end
  net        \* for each token under way the node that it goes to

Node == 0 .. N - 1
After(i) == (i + 1) % N

Init ==
  /\ at = [i \in Node |-> "idle"]
  /\ left = [i \in Node |-> Requests]
  /\ holds = {0}
  /\ pausing = {0}
  /\ net = {}

\* A node that finds the token at rest goes in at once, and ends the pause.
Ask(i) ==
  /\ at[i] = "idle"
  /\ left[i] > 0
  /\ left' = [left EXCEPT ![i] = @ - 1]
  /\ at' = [at EXCEPT ![i] = IF i \in holds THEN "inside" ELSE "waiting"]
  /\ pausing' = IF Without = "ending the pause" THEN pausing ELSE pausing \ {i}
  /\ UNCHANGED <<holds, net>>

PassOn(i) ==
  IF i \in holds
  THEN /\ holds' = holds \ {i}
       /\ net' = net \cup {After(i)}
  ELSE UNCHANGED <<holds, net>>

EndPause(i) ==
  /\ i \in pausing
  /\ pausing' = pausing \ {i}
  /\ PassOn(i)
  /\ UNCHANGED <<at, left>>

Receive(i) ==
  /\ i \in net
  /\ net' = net \ {i}
  /\ holds' = holds \cup {i}
  /\ IF at[i] = "waiting"
     THEN /\ at' = [at EXCEPT ![i] = "inside"]
          /\ UNCHANGED pausing
     ELSE /\ pausing' = pausing \cup {i}
          /\ UNCHANGED at
  /\ UNCHANGED left

Exit(i) ==
  /\ at[i] = "inside"
  /\ at' = [at EXCEPT ![i] = "idle"]
  /\ PassOn(i)
  /\ UNCHANGED <<left, pausing>>

Next == \E i \in Node : Ask(i) \/ EndPause(i) \/ Receive(i) \/ Exit(i)

Exclusion == Cardinality({i \in Node : at[i] = "inside"}) <= 1

OneToken == Cardinality(holds) + Cardinality(net) = 1

\* If nothing is under way, nobody rests or is inside, then nobody waits.
NoDeadlock ==
  net = {} /\ pausing = {} => \/ \E i \in Node : at[i] = "inside"
                              \/ \A i \in Node : at[i] = "idle"
=============================================================================
