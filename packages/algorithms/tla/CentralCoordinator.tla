------------------------- MODULE CentralCoordinator -------------------------
(* One node decides. The others ask it, enter when it grants, and tell it  *)
(* when they leave. It serves requests in the order in which they arrive.  *)
(*                                                                         *)
(* Messages overtake each other: the network is a set.                     *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
  N,         \* nodes are 0 .. N-1; node 0 is the coordinator
  Requests,  \* how often each node may ask
  Without    \* the rule that is left out, or "nothing"

VARIABLES
  at,        \* where the caller of each node is: "idle", "waiting", "inside"
  left,      \* how often each node may still ask
  holder,    \* who is inside or was granted to be, in the eyes of the coordinator; N if nobody
  queue,     \* who waits, in the eyes of the coordinator
  net        \* the messages under way

Node == 0 .. N - 1
Nobody == N

Message(kind, i, j) == [type |-> kind, from |-> i, to |-> j]

Init ==
  /\ at = [i \in Node |-> "idle"]
  /\ left = [i \in Node |-> Requests]
  /\ holder = Nobody
  /\ queue = <<>>
  /\ net = {}

\* The first of the line gets the section. `whereabouts` is `at` before that, `mail` the network.
Serve(line, whereabouts, mail) ==
  IF line = <<>>
  THEN /\ holder' = Nobody
       /\ queue' = <<>>
       /\ at' = whereabouts
       /\ net' = mail
  ELSE /\ holder' = Head(line)
       /\ queue' = Tail(line)
       /\ at' = IF Head(line) = 0 THEN [whereabouts EXCEPT ![0] = "inside"] ELSE whereabouts
       /\ net' = IF Head(line) = 0 THEN mail ELSE mail \cup {Message("grant", 0, Head(line))}

Enqueue(i, whereabouts, mail) ==
  IF holder = Nobody
  THEN Serve(Append(queue, i), whereabouts, mail)
  ELSE /\ queue' = Append(queue, i)
       /\ at' = whereabouts
       /\ net' = mail
       /\ UNCHANGED holder

Ask(i) ==
  LET whereabouts == [at EXCEPT ![i] = "waiting"]
  IN  /\ at[i] = "idle"
      /\ left[i] > 0
      /\ left' = [left EXCEPT ![i] = @ - 1]
      /\ IF i = 0
         THEN Enqueue(0, whereabouts, net)
         ELSE /\ at' = whereabouts
              /\ net' = net \cup {Message("request", i, 0)}
              /\ UNCHANGED <<holder, queue>>

\* A request may overtake the release of the same node, and is queued all the same.
ReceiveRequest(m) ==
  /\ m.type = "request"
  /\ IF m.from = holder /\ Without = "requests of the holder"
     THEN /\ net' = net \ {m}
          /\ UNCHANGED <<at, holder, queue>>
     ELSE Enqueue(m.from, at, net \ {m})
  /\ UNCHANGED left

ReceiveGrant(m) ==
  /\ m.type = "grant"
  /\ at' = [at EXCEPT ![m.to] = "inside"]
  /\ net' = net \ {m}
  /\ UNCHANGED <<left, holder, queue>>

ReceiveRelease(m) ==
  /\ m.type = "release"
  /\ IF holder = m.from
     THEN Serve(queue, at, net \ {m})
     ELSE /\ net' = net \ {m}
          /\ UNCHANGED <<at, holder, queue>>
  /\ UNCHANGED left

Exit(i) ==
  LET whereabouts == [at EXCEPT ![i] = "idle"]
  IN  /\ at[i] = "inside"
      /\ IF i = 0
         THEN Serve(queue, whereabouts, net)
         ELSE /\ at' = whereabouts
              /\ net' = net \cup {Message("release", i, 0)}
              /\ UNCHANGED <<holder, queue>>
      /\ UNCHANGED left

Next ==
  \/ \E i \in Node : Ask(i) \/ Exit(i)
  \/ \E m \in net : ReceiveRequest(m) \/ ReceiveGrant(m) \/ ReceiveRelease(m)

Exclusion == Cardinality({i \in Node : at[i] = "inside"}) <= 1

\* If nothing is under way and nobody is inside, nobody waits.
NoDeadlock ==
  net = {} => \/ \E i \in Node : at[i] = "inside"
              \/ \A i \in Node : at[i] = "idle"
=============================================================================
