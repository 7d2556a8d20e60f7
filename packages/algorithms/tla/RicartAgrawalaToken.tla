------------------------ MODULE RicartAgrawalaToken -------------------------
(* Ricart and Agrawala, "Author response to 'On mutual exclusion in        *)
(* computer networks' by Carvalho and Roucairol", Communications of the    *)
(* ACM 26(2), 1983: the second algorithm.                                  *)
(*                                                                         *)
(* The node that has the token may enter. Others send a numbered request   *)
(* to all. The token carries the number of each node at its last turn: a   *)
(* node whose request is later waits. Its holder looks for such a node     *)
(* from its right neighbour on, once around.                               *)
(*                                                                         *)
(* Messages overtake each other: the network is a set.                     *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
  N,         \* nodes are 0 .. N-1; node 0 has the token at first
  Requests,  \* how often each node may ask
  Most,      \* no number goes beyond this
  Without    \* the rule that is left out, or "nothing"

VARIABLES
  at,        \* where the caller of each node is: "idle", "waiting", "inside"
  left,      \* how often each node may still ask
  number,    \* the number of each node's own requests
  heard,     \* heard[i][j]: the highest number that i has heard from j
  token,     \* token[i]: <<>>, or where it is, <<the number of each node at its last turn>>
  net        \* the messages under way

Node == 0 .. N - 1
Others(i) == Node \ {i}
Max(a, b) == IF a > b THEN a ELSE b

Request(i, j, n) == [type |-> "request", from |-> i, to |-> j, number |-> n]
Token(i, j, turns) == [type |-> "token", from |-> i, to |-> j, turns |-> turns]

Init ==
  /\ at = [i \in Node |-> "idle"]
  /\ left = [i \in Node |-> Requests]
  /\ number = [i \in Node |-> 0]
  /\ heard = [i \in Node |-> [j \in Node |-> 0]]
  /\ token = [i \in Node |-> IF i = 0 THEN <<[j \in Node |-> 0]>> ELSE <<>>]
  /\ net = {}

Ask(i) ==
  /\ at[i] = "idle"
  /\ left[i] > 0
  /\ left' = [left EXCEPT ![i] = @ - 1]
  /\ IF token[i] # <<>>
     THEN /\ at' = [at EXCEPT ![i] = "inside"]
          /\ UNCHANGED <<number, net>>
     ELSE /\ at' = [at EXCEPT ![i] = "waiting"]
          /\ number' = [number EXCEPT ![i] = @ + 1]
          /\ net' = net \cup {Request(i, j, number[i] + 1) : j \in Others(i)}
  /\ UNCHANGED <<heard, token>>

\* The nodes after i in the circle, and those of them that wait, as far as these numbers tell.
Circle(i) == [k \in 1 .. N - 1 |-> (i + k) % N]
Waiting(i, numbers, turns) == SelectSeq(Circle(i), LAMBDA j : numbers[j] > turns[j])

\* Passes the token on to the first of these, if there is one. `mail` is the network before that.
PassOn(i, waiting, mail) ==
  LET turns == token[i][1]
  IN  IF waiting = <<>>
      THEN /\ net' = mail
           /\ UNCHANGED token
      ELSE /\ net' = mail \cup {Token(i, Head(waiting), [turns EXCEPT ![i] = number[i]])}
           /\ token' = [token EXCEPT ![i] = <<>>]

ReceiveRequest(m) ==
  LET i == m.to
      numbers == [heard[i] EXCEPT ![m.from] = Max(@, m.number)]
      waiting == IF Without = "a look at the token" THEN <<m.from>>
                 ELSE Waiting(i, numbers, token[i][1])
  IN  /\ m.type = "request"
      /\ heard' = [heard EXCEPT ![i] = numbers]
      /\ IF token[i] # <<>> /\ at[i] # "inside"
         THEN PassOn(i, waiting, net \ {m})
         ELSE /\ net' = net \ {m}
              /\ UNCHANGED token
      /\ UNCHANGED <<at, left, number>>

\* A token that comes unasked rests.
ReceiveToken(m) ==
  LET i == m.to
  IN  /\ m.type = "token"
      /\ net' = net \ {m}
      /\ token' = [token EXCEPT ![i] = <<m.turns>>]
      /\ at' = [at EXCEPT ![i] = IF number[i] > m.turns[i] THEN "inside" ELSE @]
      /\ UNCHANGED <<left, number, heard>>

Exit(i) ==
  /\ at[i] = "inside"
  /\ at' = [at EXCEPT ![i] = "idle"]
  /\ PassOn(i, Waiting(i, heard[i], token[i][1]), net)
  /\ UNCHANGED <<left, number, heard>>

Next ==
  \/ \E i \in Node : Ask(i) \/ Exit(i)
  \/ \E m \in net : ReceiveRequest(m) \/ ReceiveToken(m)

Bounded == \A i \in Node : number[i] <= Most

Exclusion == Cardinality({i \in Node : at[i] = "inside"}) <= 1

OneToken ==
  Cardinality({i \in Node : token[i] # <<>>}) + Cardinality({m \in net : m.type = "token"}) = 1

\* If nothing is under way and nobody is inside, nobody waits.
NoDeadlock ==
  net = {} => \/ \E i \in Node : at[i] = "inside"
              \/ \A i \in Node : at[i] = "idle"
=============================================================================
