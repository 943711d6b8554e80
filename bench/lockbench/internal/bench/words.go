package bench

// What the page says besides its figures.

// better is what the others do better, whatever was measured.
const better = `- **They run the real server.** A bug of Redis, etcd, ZooKeeper, MariaDB or PostgreSQL itself is in A, B and C, and not in Lockpick, whose servers are simulated.
- **They need no simulated store and no adapter to a simulated network.** A and B work for any store and any protocol, also in other languages. C needs a reader of the protocol.
- **Shallow bugs.** A bug that two clients show without any fault is found by each arm in its first seconds.

In this run:

`

// tried says which settings the other arms have, and why.
const tried = `
The oracle of A, B and C is Lockpick's: a gate records what passes and reads the server's records after each request, and the checker judges it. People who run such stresses
have a weaker one, usually a counter that two clients must not raise at once. It is here so that the arms differ in what they try, and not in what they see.

Settings of A, B and C. The first two were chosen after single tries with other values, the other two without measurements:

- Holds: most of a few milliseconds, some longer than a lease, another mix in each round. With holds of a fifth of a lease on average there were 9 acquisitions a second.
- Rounds of 1 s, 2 s, and so on up to 5 s: a round is judged at its end, so long ones show shallow bugs late.
- In C each round has a rate and a choice of kinds of faults: some bugs need acquisitions without a fault between two faults, and others a lost answer, which is rare at a low rate.
- The toxics of A (latency with jitter, timeout, reset_peer, down) are those of Toxiproxy, made by the gate: with a proxy before the gate, the gate does not know that a message was late.
`

// guess warns of what the recorder of A, B and C cannot know.
const guess = `
A connection does not say which thread of its process uses it. The recorder of A, B and C guesses that from what is under way. Two bugs need processes with two threads,
` + "`mysql-named-pooled` and `mysql-row-noted`" + `: there a wrong guess can make a finding, or an alarm, that the lock does not deserve.
`

// rest is the end of the page.
const rest = `## Rules

1. A try is a process of its own, with servers and clients of its own. Its seconds begin with the start of the process's search or of its servers. Leases are 500 ms on real servers, or the
   shortest that the store has; four clients. Simulated runs have the parameters that Lockpick has by default.
2. The seconds of Lockpick are those until the finding is confirmed in a second process; shrinking and explaining it come later. Those of a stress are those until the round that shows it has been
   judged.
3. If the first try of an arm finds nothing in all of its time, the arm does not try that bug any more, and the other tries count as not found. The flag -early of the program sets
   another number than one; with two a run takes an hour longer.
4. Tries of A, B and C run side by side, since they mostly wait; those of D and E one at a time, with two workers.
5. The repaired version of each bug is tried once by each arm, for a shorter time. A violation of the bug's property there is a false alarm.
6. What the first try finds is replayed 20 times, or as often as 200 seconds allow: Lockpick's by its tape; a stress by its round, with the same seed.
7. Lines of test are lines of Go without blank lines and comments. For Lockpick they are those of a test like [the one of examples/mysql](../examples/mysql); for a stress, those of the arm, of the workload, and of the gate.
   The adapter of the lock is the same in all arms and does not count.

## Run it

` + "```sh" + `
make lockbench            # two hours and a half on two cores that do nothing else; goes on with results.json: remove that to begin anew
make lockbench QUICK=1    # ten minutes: fewer bugs, two seeds, 30 s a try
make lockbench-page       # this page, from bench/lockbench/results.json
` + "```" + `

**Another bug** is a file in [bench/lockbench/bugs](../bench/lockbench/bugs): a sentence, a property, a bad lock and a good one. Two versions of one library are a directory in
[bench/lockbench/versions](../bench/lockbench/versions), with a main.go of the adapter, a go.mod for the bad version and a good.mod for the good one, and a file in bugs that names it.

**Another arm** is a file in [bench/lockbench/arms](../bench/lockbench/arms) with a type that has the methods of ` + "`trial.Arm`" + `. Faults of another kind need two or three methods more, those of ` + "`stress.Faults`" + `.
`
