------------------------------ MODULE Raymond -------------------------------
(* Raymond, "A tree-based algorithm for distributed mutual exclusion", ACM *)
(* Transactions on Computer Systems 7(1), 1989.                            *)
(*                                                                         *)
(* The nodes form a tree. HOLDER says in which direction the privilege is. *)
(* A node queues those who asked it, itself included, and asks its HOLDER  *)
(* once for all of them.                                                   *)
(*                                                                         *)
(* Messages overtake each other: the network is a set. The tree is binary, *)
(* with node 0 as its root.                                                *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
  N,         \* nodes are 0 .. N-1; node 0 has the privilege at first
  Requests,  \* how often each node may ask
  Without    \* the rule that is left out, or "nothing"

VARIABLES
  at,        \* where the caller of each node is: "idle", "waiting", "inside"; USING is "inside"
  left,      \* how often each node may still ask
  holder,    \* HOLDER
  queue,     \* REQUEST_Q
  asked,     \* ASKED
  net        \* the messages under way

Node == 0 .. N - 1
Parent(i) == IF i = 0 THEN 0 ELSE (i - 1) \div 2

Message(kind, i, j) == [type |-> kind, from |-> i, to |-> j]

Init ==
  /\ at = [i \in Node |-> "idle"]
  /\ left = [i \in Node |-> Requests]
  /\ holder = [i \in Node |-> Parent(i)]
  /\ queue = [i \in Node |-> <<>>]
  /\ asked = [i \in Node |-> FALSE]
  /\ net = {}

(* ASSIGN_PRIVILEGE and then MAKE_REQUEST, which follow every event at a   *)
(* node. `h`, `q` and `place` are its HOLDER, its REQUEST_Q and its caller *)
(* after that event, `mail` is the network, `mayAsk` whether it makes a    *)
(* request if it should.                                                   *)
Act(i, h, q, place, mail, mayAsk) ==
  LET assigns == h = i /\ place # "inside" /\ q # <<>>
      next == Head(q)
      line == IF assigns THEN Tail(q) ELSE q
      to == IF assigns THEN next ELSE h
      hasAsked == asked[i] /\ ~assigns
      asks == to # i /\ line # <<>> /\ ~hasAsked /\ mayAsk
  IN  /\ holder' = [holder EXCEPT ![i] = to]
      /\ queue' = [queue EXCEPT ![i] = line]
      /\ asked' = [asked EXCEPT ![i] = hasAsked \/ asks]
      /\ at' = [at EXCEPT ![i] = IF assigns /\ next = i THEN "inside" ELSE place]
      /\ net' = mail \cup (IF assigns /\ next # i THEN {Message("privilege", i, next)} ELSE {})
                     \cup (IF asks THEN {Message("request", i, to)} ELSE {})

Ask(i) ==
  /\ at[i] = "idle"
  /\ left[i] > 0
  /\ left' = [left EXCEPT ![i] = @ - 1]
  /\ Act(i, holder[i], Append(queue[i], i), "waiting", net, TRUE)

ReceiveRequest(m) ==
  /\ m.type = "request"
  /\ Act(m.to, holder[m.to], Append(queue[m.to], m.from), at[m.to], net \ {m}, TRUE)
  /\ UNCHANGED left

ReceivePrivilege(m) ==
  /\ m.type = "privilege"
  /\ Act(m.to, m.to, queue[m.to], at[m.to], net \ {m}, Without # "asking again")
  /\ UNCHANGED left

Exit(i) ==
  /\ at[i] = "inside"
  /\ Act(i, i, queue[i], "idle", net, TRUE)
  /\ UNCHANGED left

Next ==
  \/ \E i \in Node : Ask(i) \/ Exit(i)
  \/ \E m \in net : ReceiveRequest(m) \/ ReceivePrivilege(m)

Exclusion == Cardinality({i \in Node : at[i] = "inside"}) <= 1

OneToken ==
  Cardinality({i \in Node : holder[i] = i}) + Cardinality({m \in net : m.type = "privilege"}) = 1

\* If nothing is under way and nobody is inside, nobody waits.
NoDeadlock ==
  net = {} => \/ \E i \in Node : at[i] = "inside"
              \/ \A i \in Node : at[i] = "idle"
=============================================================================
