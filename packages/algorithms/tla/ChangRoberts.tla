---------------------------- MODULE ChangRoberts ----------------------------
(* Chang and Roberts, "An improved algorithm for decentralized             *)
(* extrema-finding in circular configurations of processes",               *)
(* Communications of the ACM 22(5), 1979.                                  *)
(*                                                                         *)
(* Numbers go round a ring. A process lets higher ones pass, and replaces  *)
(* lower ones by its own unless it takes part already. A process that gets *)
(* its own number back is the highest, and says so in a second round.      *)
(*                                                                         *)
(* Channels keep order: each is a sequence. Nobody fails.                  *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
  N,         \* processes are 0 .. N-1, and so are their numbers
  Requests,  \* how often each process may call an election
  Without    \* the rule that is left out, or "nothing"

VARIABLES
  calls,       \* whether a process that called waits for the result
  left,        \* how often each process may still call
  best,        \* the highest number that it has sent round; N if it takes no part
  coordinator, \* whom it takes for the coordinator; N if nobody
  channel      \* channel[i]: the messages from i to the next process

Process == 0 .. N - 1
Nobody == N
After(i) == (i + 1) % N
Before(i) == (i + N - 1) % N
Max(a, b) == IF a > b THEN a ELSE b

Init ==
  /\ calls = [i \in Process |-> FALSE]
  /\ left = [i \in Process |-> Requests]
  /\ best = [i \in Process |-> Nobody]
  /\ coordinator = [i \in Process |-> Nobody]
  /\ channel = [i \in Process |-> <<>>]

\* `mail` are the channels from which the message that led to this was taken.
Send(i, kind, number, mail) ==
  channel' = [mail EXCEPT ![i] = Append(@, [type |-> kind, id |-> number])]

Propose(i, number, mail) ==
  /\ best' = [best EXCEPT ![i] = IF @ = Nobody THEN number ELSE Max(@, number)]
  /\ Send(i, "election", number, mail)
  /\ UNCHANGED coordinator

\* The result is here: the next process hears of it too.
Accept(i, number, mail) ==
  /\ best' = [best EXCEPT ![i] = Nobody]
  /\ coordinator' = [coordinator EXCEPT ![i] = number]
  /\ calls' = [calls EXCEPT ![i] = FALSE]
  /\ Send(i, "coordinator", number, mail)

Call(i) ==
  /\ ~calls[i]
  /\ left[i] > 0
  /\ left' = [left EXCEPT ![i] = @ - 1]
  /\ calls' = [calls EXCEPT ![i] = TRUE]
  /\ IF best[i] = Nobody
     THEN Propose(i, i, channel)
     ELSE UNCHANGED <<best, coordinator, channel>>

Weigh(i, number, mail) ==
  CASE number = i -> Accept(i, i, mail)
    [] number > i -> Propose(i, number, mail) /\ UNCHANGED calls
    [] number < i /\ (best[i] = Nobody \/ Without = "the flag") ->
         Propose(i, i, mail) /\ UNCHANGED calls
    [] OTHER -> /\ channel' = mail
                /\ UNCHANGED <<best, coordinator, calls>>

\* The announcement ends where it began.
Hear(i, number, mail) ==
  IF number = i
  THEN /\ channel' = mail
       /\ UNCHANGED <<best, coordinator, calls>>
  ELSE Accept(i, number, mail)

Receive(i) ==
  /\ channel[Before(i)] # <<>>
  /\ LET m == Head(channel[Before(i)])
         mail == [channel EXCEPT ![Before(i)] = Tail(@)]
     IN  IF m.type = "election" THEN Weigh(i, m.id, mail) ELSE Hear(i, m.id, mail)
  /\ UNCHANGED left

Next == \E i \in Process : Call(i) \/ Receive(i)

IsAtRest == \A i \in Process : channel[i] = <<>>

OneCoordinator == Cardinality({i \in Process : coordinator[i] = i}) <= 1

\* At rest nobody waits for a result, and all name the highest if there was an election.
NoDeadlock == IsAtRest => \A i \in Process : ~calls[i]

Highest ==
  IsAtRest => \/ \A i \in Process : coordinator[i] = Nobody
              \/ \A i \in Process : coordinator[i] = N - 1
=============================================================================
