---------------------------- MODULE SuzukiKasami ----------------------------
(* Suzuki and Kasami, "A distributed mutual exclusion algorithm", ACM      *)
(* Transactions on Computer Systems 3(4), 1985.                            *)
(*                                                                         *)
(* The node that has the token may enter. Others broadcast numbered        *)
(* requests. The token carries a queue, and which request of each node was *)
(* served last.                                                            *)
(*                                                                         *)
(* Messages overtake each other: the network is a set. When a node leaves, *)
(* it looks for waiting nodes from its right neighbour on, in a circle.    *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
  N,         \* nodes are 0 .. N-1; node 0 has the token at first
  Requests,  \* how often each node may ask
  Most       \* no number goes beyond this

VARIABLES
  at,        \* where the caller of each node is: "idle", "waiting", "inside"
  left,      \* how often each node may still ask
  rn,        \* rn[i][j]: the highest request number that i has heard from j
  token,     \* token[i]: <<>>, or <<the token>> where it is
  net        \* the messages under way

Node == 0 .. N - 1
Others(i) == Node \ {i}
Max(a, b) == IF a > b THEN a ELSE b

Request(i, j, n) == [type |-> "request", from |-> i, to |-> j, number |-> n]
Privilege(i, j, t) == [type |-> "privilege", from |-> i, to |-> j, token |-> t]

Init ==
  /\ at = [i \in Node |-> "idle"]
  /\ left = [i \in Node |-> Requests]
  /\ rn = [i \in Node |-> [j \in Node |-> 0]]
  /\ token = [i \in Node |-> IF i = 0 THEN <<[q |-> <<>>, ln |-> [j \in Node |-> 0]]>> ELSE <<>>]
  /\ net = {}

Ask(i) ==
  /\ at[i] = "idle"
  /\ left[i] > 0
  /\ left' = [left EXCEPT ![i] = @ - 1]
  /\ IF token[i] # <<>>
     THEN /\ at' = [at EXCEPT ![i] = "inside"]
          /\ UNCHANGED <<rn, net>>
     ELSE /\ at' = [at EXCEPT ![i] = "waiting"]
          /\ rn' = [rn EXCEPT ![i][i] = @ + 1]
          /\ net' = net \cup {Request(i, j, rn[i][i] + 1) : j \in Others(i)}
  /\ UNCHANGED token

\* A request with an old number was served already.
ReceiveRequest(m) ==
  LET i == m.to
      j == m.from
      heard == Max(rn[i][j], m.number)
  IN  /\ m.type = "request"
      /\ rn' = [rn EXCEPT ![i][j] = heard]
      /\ IF token[i] # <<>> /\ at[i] # "inside" /\ heard > token[i][1].ln[j]
         THEN /\ net' = (net \ {m}) \cup {Privilege(i, j, Head(token[i]))}
              /\ token' = [token EXCEPT ![i] = <<>>]
         ELSE /\ net' = net \ {m}
              /\ UNCHANGED token
      /\ UNCHANGED <<at, left>>

ReceivePrivilege(m) ==
  LET i == m.to
  IN  /\ m.type = "privilege"
      /\ net' = net \ {m}
      /\ token' = [token EXCEPT ![i] = <<m.token>>]
      /\ at' = [at EXCEPT ![i] = "inside"]
      /\ UNCHANGED <<left, rn>>

\* The nodes after i, in a circle.
Circle(i) == [k \in 1 .. N - 1 |-> (i + k) % N]

Exit(i) ==
  LET t == token[i][1]
      ln == [t.ln EXCEPT ![i] = rn[i][i]]
      inQueue == {t.q[k] : k \in 1 .. Len(t.q)}
      q == t.q \o SelectSeq(Circle(i), LAMBDA j : j \notin inQueue /\ rn[i][j] > ln[j])
  IN  /\ at[i] = "inside"
      /\ at' = [at EXCEPT ![i] = "idle"]
      /\ IF q = <<>>
         THEN /\ token' = [token EXCEPT ![i] = <<[q |-> q, ln |-> ln]>>]
              /\ UNCHANGED net
         ELSE /\ token' = [token EXCEPT ![i] = <<>>]
              /\ net' = net \cup {Privilege(i, Head(q), [q |-> Tail(q), ln |-> ln])}
      /\ UNCHANGED <<left, rn>>

Next ==
  \/ \E i \in Node : Ask(i) \/ Exit(i)
  \/ \E m \in net : ReceiveRequest(m) \/ ReceivePrivilege(m)

Bounded == \A i \in Node : rn[i][i] <= Most

Exclusion == Cardinality({i \in Node : at[i] = "inside"}) <= 1

OneToken ==
  Cardinality({i \in Node : token[i] # <<>>}) + Cardinality({m \in net : m.type = "privilege"}) = 1

\* A node gets the token only if it waits for it.
Wanted == \A m \in net : m.type = "privilege" => at[m.to] = "waiting"

\* If nothing is under way and nobody is inside, nobody waits.
NoDeadlock ==
  net = {} => \/ \E i \in Node : at[i] = "inside"
              \/ \A i \in Node : at[i] = "idle"
=============================================================================
