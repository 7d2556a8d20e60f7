----------------------------- MODULE TokenQueue -----------------------------
(* The token carries the line of those who wait. It is found by the path   *)
(* reversal of Naimi and Trehel, "An improvement of the log(n) distributed *)
(* algorithm for mutual exclusion", 1987. Here all requests are exclusive. *)
(*                                                                         *)
(* A request runs along the pointers to the token, or to a node that has   *)
(* asked for it, which absorbs it: it joins the line when the token comes. *)
(* A node that leaves hands over in a step of its own, so that its next    *)
(* request may get in line before.                                         *)
(*                                                                         *)
(* Messages overtake each other: the network is a set.                     *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
  N,         \* nodes are 0 .. N-1; node 0 has the token at first
  Requests   \* how often each node may ask

VARIABLES
  at,        \* where the caller of each node is: "idle", "waiting", "inside"
  left,      \* how often each node may still ask
  where,     \* whom to ask; N where requests are absorbed
  asked,     \* the nodes whose requests are out
  queue,     \* the line where the token is; elsewhere what was absorbed
  holds,     \* the nodes that have the token
  leaving,   \* the nodes that have yet to hand over
  net        \* the messages under way

Node == 0 .. N - 1
Nobody == N

Request(i, j, origin) == [type |-> "request", from |-> i, to |-> j, origin |-> origin]
Token(i, j, places) == [type |-> "token", from |-> i, to |-> j, places |-> places]

Init ==
  /\ at = [i \in Node |-> "idle"]
  /\ left = [i \in Node |-> Requests]
  /\ where = [i \in Node |-> IF i = 0 THEN Nobody ELSE 0]
  /\ asked = {}
  /\ queue = [i \in Node |-> <<>>]
  /\ holds = {0}
  /\ leaving = {}
  /\ net = {}

(* Node i, which has the token, serves the head of the line q unless its   *)
(* own caller is inside or it has yet to hand over. `place` is where that  *)
(* caller is, `mail` the network. A caller that waits when the token goes  *)
(* has its place in the line, so its request is out.                       *)
Serve(i, q, place, isLeaving, mail) ==
  LET isFree == q # <<>> /\ place # "inside" /\ ~isLeaving
  IN  /\ leaving' = IF isLeaving THEN leaving \cup {i} ELSE leaving \ {i}
      /\ IF ~isFree
         THEN /\ at' = [at EXCEPT ![i] = place]
              /\ queue' = [queue EXCEPT ![i] = q]
              /\ holds' = holds \cup {i}
              /\ asked' = asked \ {i}
              /\ net' = mail
              /\ UNCHANGED where
         ELSE IF Head(q) = i
         THEN /\ at' = [at EXCEPT ![i] = "inside"]
              /\ queue' = [queue EXCEPT ![i] = Tail(q)]
              /\ holds' = holds \cup {i}
              /\ asked' = asked \ {i}
              /\ net' = mail
              /\ UNCHANGED where
         ELSE /\ at' = [at EXCEPT ![i] = place]
              /\ queue' = [queue EXCEPT ![i] = <<>>]
              /\ holds' = holds \ {i}
              /\ asked' = IF place = "waiting" THEN asked \cup {i} ELSE asked \ {i}
              /\ where' = [where EXCEPT ![i] = IF place = "waiting" THEN Nobody ELSE Head(q)]
              /\ net' = mail \cup {Token(i, Head(q), Tail(q))}

Ask(i) ==
  /\ at[i] = "idle"
  /\ left[i] > 0
  /\ left' = [left EXCEPT ![i] = @ - 1]
  /\ IF i \in holds
     THEN Serve(i, Append(queue[i], i), "waiting", i \in leaving, net)
     ELSE /\ at' = [at EXCEPT ![i] = "waiting"]
          /\ asked' = asked \cup {i}
          /\ where' = [where EXCEPT ![i] = Nobody]
          /\ net' = net \cup {Request(i, where[i], i)}
          /\ UNCHANGED <<queue, holds, leaving>>

ReceiveRequest(m) ==
  LET i == m.to
  IN  /\ m.type = "request"
      /\ IF i \in holds
         THEN Serve(i, Append(queue[i], m.origin), at[i], i \in leaving, net \ {m})
         ELSE IF i \in asked
         THEN /\ queue' = [queue EXCEPT ![i] = Append(@, m.origin)]
              /\ net' = net \ {m}
              /\ UNCHANGED <<at, where, asked, holds, leaving>>
         ELSE /\ where' = [where EXCEPT ![i] = m.origin]
              /\ net' = (net \ {m}) \cup {Request(i, where[i], m.origin)}
              /\ UNCHANGED <<at, asked, queue, holds, leaving>>
      /\ UNCHANGED left

\* First its own caller, then the line that came with the token, then what was absorbed here.
ReceiveToken(m) ==
  LET i == m.to
  IN  /\ m.type = "token"
      /\ Serve(i, <<i>> \o m.places \o queue[i], at[i], FALSE, net \ {m})
      /\ UNCHANGED left

Exit(i) ==
  /\ at[i] = "inside"
  /\ Serve(i, queue[i], "idle", queue[i] # <<>>, net)
  /\ UNCHANGED left

HandOver(i) ==
  /\ i \in leaving
  /\ Serve(i, queue[i], at[i], FALSE, net)
  /\ UNCHANGED left

Next ==
  \/ \E i \in Node : Ask(i) \/ Exit(i) \/ HandOver(i)
  \/ \E m \in net : ReceiveRequest(m) \/ ReceiveToken(m)

Exclusion == Cardinality({i \in Node : at[i] = "inside"}) <= 1

OneToken == Cardinality(holds) + Cardinality({m \in net : m.type = "token"}) = 1

\* If nothing is under way, nobody is inside or hands over, then nobody waits.
NoDeadlock ==
  net = {} /\ leaving = {} => \/ \E i \in Node : at[i] = "inside"
                              \/ \A i \in Node : at[i] = "idle"
=============================================================================
