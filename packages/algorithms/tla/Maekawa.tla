------------------------------ MODULE Maekawa -------------------------------
(* Maekawa, "A sqrt(N) algorithm for mutual exclusion in decentralized     *)
(* systems", ACM Transactions on Computer Systems 3(2), 1985, with the     *)
(* correction of Sanders, "The information structure of distributed mutual *)
(* exclusion algorithms", ACM TOCS 5(3), 1987, section 5.                  *)
(*                                                                         *)
(* A node asks its quorum. Every node is an arbiter too, and grants one    *)
(* request at a time, the smallest stamp first. If a smaller one comes     *)
(* than the one that it has granted, it INQUIREs whether it may have its   *)
(* grant back. A node that was told by a FAIL that it must wait YIELDs it. *)
(* Every message names the request that it belongs to by its time.         *)
(*                                                                         *)
(* Messages overtake each other: the network is a set. What a node tells   *)
(* itself happens in the same step.                                        *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
  N,         \* nodes are 0 .. N-1
  Requests,  \* how often each node may ask
  Most,      \* no clock goes beyond this
  Without    \* the rule that is left out, or "nothing"

VARIABLES
  node,      \* what each node knows: see First
  net        \* the messages under way

Node == 0 .. N - 1
Max(a, b) == IF a > b THEN a ELSE b

\* Two or three nodes: the node and the next one. Four: its row and its column in a square.
Quorum(i) ==
  IF N < 4 THEN {i, (i + 1) % N} ELSE {j \in Node : j \div 2 = i \div 2 \/ j % 2 = i % 2}

Message(kind, i, j, t) == [type |-> kind, from |-> i, to |-> j, time |-> t]

Less(a, b) == a.time < b.time \/ (a.time = b.time /\ a.node < b.node)
IsSame(a, b) == a.time = b.time /\ a.node = b.node

First ==
  [ at |-> "idle",       \* where its caller is: "idle", "waiting", "inside"
    left |-> Requests,   \* how often it may still ask
    clock |-> 0,         \* the largest time seen
    granted |-> <<>>,    \* as arbiter: <<the request that has our grant>>, if one has
    inquired |-> FALSE,  \* as arbiter: whether we asked for it back
    queue |-> <<>>,      \* as arbiter: the other requests, smallest first
    time |-> 0,          \* the time of our own request; 0 while there is none
    grants |-> {},       \* who granted to us, and was not given the grant back
    refused |-> {},      \* whose FAIL, or whose yielded grant, says that we must wait
    inquiries |-> {},    \* whose INQUIRE waits for our answer
    own |-> <<>>,        \* what it has told itself; empty between steps
    out |-> {} ]         \* what it has told others; empty between steps

Init ==
  /\ node = [i \in Node |-> First]
  /\ net = {}

Tell(i, s, kind, t, to) ==
  [s EXCEPT !.out = @ \cup {Message(kind, i, j, t) : j \in to \ {i}},
            !.own = IF i \in to THEN Append(@, Message(kind, i, i, t)) ELSE @]

\* The requests of a queue before r, then r, then those after it.
Insert(q, r) ==
  SelectSeq(q, LAMBDA e : Less(e, r)) \o <<r>> \o SelectSeq(q, LAMBDA e : Less(r, e))


GrantNext(i, s) ==
  IF s.queue = <<>>
  THEN [s EXCEPT !.granted = <<>>, !.inquired = FALSE]
  ELSE LET r == Head(s.queue)
           freed == [s EXCEPT !.granted = <<[time |-> r.time, node |-> r.node]>>,
                              !.inquired = FALSE,
                              !.queue = Tail(@)]
       IN  Tell(i, freed, "grant", r.time, {r.node})

\* These requests of the queue are told to wait, unless they were told before.
Fail(i, s, behind) ==
  LET news == {r \in behind : ~r.failed}
      own == {r \in news : r.node = i}
      marked == [k \in 1 .. Len(s.queue) |->
                  IF s.queue[k] \in behind THEN [s.queue[k] EXCEPT !.failed = TRUE] ELSE s.queue[k]]
      told == [s EXCEPT
                !.queue = marked,
                !.out = @ \cup {Message("fail", i, r.node, r.time) : r \in news \ own}]
  IN  IF own = {} THEN told ELSE Tell(i, told, "fail", s.time, {i})

OnRequest(i, s, m) ==
  LET r == [time |-> m.time, node |-> m.from, failed |-> FALSE]
      queued == [s EXCEPT !.clock = Max(@, m.time), !.queue = Insert(@, r)]
  IN  IF s.granted = <<>>
      THEN GrantNext(i, queued)
      ELSE LET g == s.granted[1]
               all == {queued.queue[k] : k \in 1 .. Len(queued.queue)}
               unlessNext == IF Head(queued.queue) = r THEN {} ELSE {r}
               behind == CASE Without = "a look at the grant" -> unlessNext
                           [] Less(g, r) -> {r}
                           [] OTHER -> {e \in all : Less(r, e)} \cup unlessNext
               told == Fail(i, queued, behind)
           IN  IF Less(g, r) \/ s.inquired
               THEN told
               ELSE Tell(i, [told EXCEPT !.inquired = TRUE], "inquire", g.time, {g.node})

HasGrant(s, m) == s.granted # <<>> /\ IsSame(s.granted[1], [time |-> m.time, node |-> m.from])

OnRelease(i, s, m) == IF HasGrant(s, m) THEN GrantNext(i, s) ELSE s

OnYield(i, s, m) ==
  LET r == [time |-> m.time, node |-> m.from, failed |-> TRUE]
  IN  IF HasGrant(s, m) THEN GrantNext(i, [s EXCEPT !.queue = Insert(@, r)]) ELSE s


\* Who knows that it must wait gives back what it is asked for.
YieldWhatItCan(i, s) ==
  LET back == IF s.refused = {} THEN {} ELSE s.inquiries \cap s.grants
  IN  Tell(i, [s EXCEPT !.inquiries = @ \ back, !.grants = @ \ back, !.refused = @ \cup back],
           "yield", s.time, back)

IsAbout(s, m) == s.at = "waiting" /\ s.time = m.time

OnGrant(i, s, m) ==
  LET more == [s EXCEPT !.grants = @ \cup {m.from}, !.refused = @ \ {m.from}]
  IN  IF ~IsAbout(s, m)
      THEN s
      ELSE IF more.grants = Quorum(i)
      THEN [more EXCEPT !.at = "inside", !.grants = {}, !.inquiries = {}]
      ELSE YieldWhatItCan(i, more)

OnFail(i, s, m) ==
  IF IsAbout(s, m) THEN YieldWhatItCan(i, [s EXCEPT !.refused = @ \cup {m.from}]) ELSE s

OnInquire(i, s, m) ==
  IF IsAbout(s, m) THEN YieldWhatItCan(i, [s EXCEPT !.inquiries = @ \cup {m.from}]) ELSE s


On(i, s, m) ==
  CASE m.type = "request" -> OnRequest(i, s, m)
    [] m.type = "release" -> OnRelease(i, s, m)
    [] m.type = "yield" -> OnYield(i, s, m)
    [] m.type = "grant" -> OnGrant(i, s, m)
    [] m.type = "fail" -> OnFail(i, s, m)
    [] m.type = "inquire" -> OnInquire(i, s, m)

RECURSIVE Settled(_, _)
Settled(i, s) ==
  IF s.own = <<>> THEN s ELSE Settled(i, On(i, [s EXCEPT !.own = Tail(@)], Head(s.own)))

\* Node i becomes what s settles to, and its messages leave. `mail` is the network before that.
Become(i, s, mail) ==
  LET settled == Settled(i, s)
  IN  /\ node' = [node EXCEPT ![i] = [settled EXCEPT !.out = {}]]
      /\ net' = mail \cup settled.out

Ask(i) ==
  LET s == node[i]
      now == s.clock + 1
  IN  /\ s.at = "idle"
      /\ s.left > 0
      /\ Become(i, Tell(i, [s EXCEPT !.at = "waiting", !.left = @ - 1, !.clock = now, !.time = now],
                        "request", now, Quorum(i)), net)

Receive(m) == Become(m.to, On(m.to, node[m.to], m), net \ {m})

Exit(i) ==
  LET s == node[i]
      gone == [s EXCEPT !.at = "idle", !.time = 0, !.refused = {}]
  IN  /\ s.at = "inside"
      /\ Become(i, Tell(i, gone, "release", s.time, Quorum(i)), net)

Next ==
  \/ \E i \in Node : Ask(i) \/ Exit(i)
  \/ \E m \in net : Receive(m)

Bounded == \A i \in Node : node[i].clock <= Most

Exclusion == Cardinality({i \in Node : node[i].at = "inside"}) <= 1

\* If nothing is under way and nobody is inside, nobody waits.
NoDeadlock ==
  net = {} => \/ \E i \in Node : node[i].at = "inside"
              \/ \A i \in Node : node[i].at = "idle"
=============================================================================
