// Package simredis is a simulated Redis: a primary with its replicas on one
// conductor, spoken to in RESP bytes by unmodified clients. Nodes fail over,
// crash and come back, and tell what truly happened to every key.
//
// # What is simulated
//
//   - Commands, as Redis 7.2 answers them, bytes and error texts included: on
//     strings, keys and their expiry, hashes, lists, sets and sorted sets;
//     MULTI, EXEC, DISCARD and WATCH; EVAL, EVALSHA and SCRIPT; SUBSCRIBE,
//     PSUBSCRIBE and PUBLISH; HELLO (RESP2 and RESP3), CLIENT SETNAME, GETNAME,
//     ID and SETINFO, INFO (server, replication), ROLE, TIME, and the rest of
//     the table in commands.go. The fidelity tests compare them with a
//     redis-server and list every known difference. They also run every script of
//     Lockpick's own locks against both, from several connections and while time
//     passes; there no difference is known.
//   - CAD, compare-and-delete, which is not Redis's but Tair's: locks that use it
//     where there is one can be tried.
//   - Pipelines, commands that arrive in pieces, inline commands (quotes have
//     no meaning in them), malformed ones.
//   - Time: each node has a clock, which may be off and may jump, and shows
//     whole milliseconds. A key with an expiry lives until the clock is past
//     it: for the time that it was given, and up to a millisecond longer.
//   - Load: a node executes one command at a time and is busy with each for
//     [Options].Service. The commands of one segment take effect at one
//     instant; their answers leave when the node has spent its time on all of
//     them.
//   - Asynchronous replication, read-only replicas, failover, split brain, full
//     resynchronisation, and what gets lost in all that.
//   - WAIT, which counts the acknowledgements that have reached the primary.
//
// # What is not
//
//   - Blocking commands other than WAIT; streams, geo, HyperLogLog, BITFIELD, fields
//     with an expiry; functions, sharded Pub/Sub, PUBSUB; SORT, OBJECT, DUMP,
//     CONFIG, COMMAND, ACLs; other databases than 0; Redis Cluster, Sentinel.
//     What is not in the table is refused with "ERR the simulated Redis does
//     not support '...'", also when a script calls it, and makes EXEC fail as
//     an unknown command does.
//   - Memory: nothing is evicted. Of persistence there is what a node still has
//     when it comes back, no more.
//   - Partial resynchronisation: whoever joins is sent everything.
//   - The order of what Redis keeps unordered: SMEMBERS, HGETALL, KEYS and
//     their like answer in sorted order, SCAN all at once. In RESP3 members
//     and scores alternate, where Redis nests pairs. DBSIZE counts no key that
//     has expired.
//   - In scripts: bit, struct, cmsgpack, redis.setresp(3), redis.set_repl,
//     script flags ('#!lua') and a limit of time. cjson is an approximation: it
//     writes numbers with all their digits (Redis: fourteen), an empty table as a
//     list, and keys in order. Errors of the interpreter itself have other texts,
//     text like 0b11 or 1_000 is a number to arithmetic, of assignments to several
//     locals the first is made before the last value is known, and pairs finds
//     nothing in the tables that all scripts share (redis, string, math, ...).
//   - HINCRBYFLOAT and INCRBYFLOAT calculate with more digits than Redis, and of
//     two mistakes in one command the other one may be named. The sign of a zero
//     that is a score is lost, as in small sorted sets of Redis's.
//
// # Observations
//
// A node reports every change of a key, when it happens, as a
// [model.Observation]: created, changed (value or expiry), expired, deleted,
// or dropped. Expiry is an event of its own; nobody has to look for it to be
// seen. Each command of a script or a transaction is observed by itself, what
// it did before it failed too.
//
// By is who did it: the process, its connection, and the operation that the
// process had open when it *sent* the request, however late that arrives. (Of
// a command that arrives in pieces the last one counts, of a transaction its
// EXEC.) On a replica By is still the client whose write it was on the
// primary. Nobody did what time or the world did.
//
// Owner is who wrote the value that the key has: whoever last changed it, or
// replaced it even by the same value (SET, GETSET, MSET, INCR, RENAME to it,
// ...). EXPIRE, PERSIST and GETEX change the expiry and leave the owner.
//
// Of each node the observations replay to exactly the keys that it shows.
//
// # Replication
//
// A primary ships effects: what each key is now, its absolute expiry and its
// owner. All effects of a command, script or transaction are one message, so
// a replica has all of them or none; messages arrive in order, with the
// network's latency, and cuts between nodes hold them. [Node.Offset] counts
// the bytes of effects, [Node.Lag] what a replica has not yet got.
//
// Replicas acknowledge what they have applied when a WAIT asks them, and not
// once a second as well, so that only runs with WAIT have such messages. Question
// and answer travel as effects do: late, held by cuts, and lost if either end
// crashes or the stream ends. A WAIT counts for the last write of its connection,
// and its timeout runs by true time, not by the node's clock. Whoever waits on a
// primary that crashes, or is made a replica, is disconnected; Redis answers the
// latter with UNBLOCKED first.
//
// A replica refuses writes with READONLY. It hides a key that has expired by
// its own clock, and that is an observation ("expired"); it deletes a key only
// when its primary says so, shows it again if its clock goes back or the
// primary had extended it in time, and loses it for good when it is promoted.
// Messages of Pub/Sub go to the subscribers of one node and are not replicated.
//
// # Failover
//
// [Node.Crash] resets the node's connections, each client by an event of its
// own; what was in its queue or in flight from it, replication too, is lost, so
// are its scripts, while its keys stay as on a disk. [Cluster.Promote] makes a
// replica the primary with what it has by then: what it had not received is
// gone, and nobody is told. New connections to the stable address
// ([Cluster.Address]) lead to it from now on; old ones are not touched, so a
// primary that is alive goes on serving its side. [Cluster.Rejoin] makes an
// old primary a replica: clients that it still has are disconnected, as
// Sentinel does it, and it is loaded with the primary's keys. What it alone
// had, or had otherwise, is observed as dropped, then what is new as created.
//
// # Restart
//
// [Cluster.Restart] brings a crashed node back as what it was: with all of its
// keys, without what was written in the second before the crash, which was not
// on the disk yet, or empty ([Kept]). What a primary has lost is observed as
// dropped, and what comes up again from under it as created; what has expired
// meanwhile expires. Its replicas are sent everything anew and lose what it has
// lost.
//
// # Hanging nodes, jumping clocks
//
// [Node.Hang] makes a node do nothing for a while: connections to it come about,
// requests arrive, and all of them are executed when it goes on, those of clients
// that have hung up too. [Node.Jump] sets its clock forward or back; expiries are
// absolute, so keys then go early or late.
//
// # Random numbers
//
// SPOP, SRANDMEMBER, RANDOMKEY, HRANDFIELD and ZRANDMEMBER draw from a stream
// of the node's own; its seed is a decision that is asked when the first of
// them is executed. math.random in scripts is Redis's generator, which begins
// with the same numbers after every start.
//
// # Threading
//
// Everything here is for the conductor: the function that sets up the world,
// injectors, and events. The package starts no goroutines. Two helpers are for
// clients: connections of go-redis go through [Sorted], for the one thing that
// it says in the order of a map.
package simredis
