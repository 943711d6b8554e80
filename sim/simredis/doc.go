// Package simredis is a simulated Redis: a primary with its replicas in a simulated
// world ([New]), or a Redis Cluster ([NewShards]). Unmodified clients speak RESP with
// it. Nodes fail over, crash and restart, and report every change of every key.
//
// # What is simulated
//
//   - Commands, as Redis 7.2 answers them, bytes and error texts included: on strings, keys and their expiry, hashes,
//     lists, sets and sorted sets; MULTI, EXEC, DISCARD and WATCH; EVAL, EVALSHA and SCRIPT; SUBSCRIBE, PSUBSCRIBE
//     and PUBLISH, and their sharded forms; HELLO (RESP2 and RESP3), CLIENT SETNAME, GETNAME, ID, SETINFO, NO-EVICT
//     and NO-TOUCH, INFO (server, replication, commandstats), ROLE, TIME, and the rest of the table in commands.go.
//     The fidelity tests compare them with a redis-server and list every known difference. They also run every script
//     of Lockpick's own locks against both, from several connections and while time passes; there no difference is
//     known.
//   - Commands of other servers, for locks that use them: CAD of Tair; DIGEST, DELEX and SET with conditions (IFEQ, IFNE,
//     IFDEQ, IFDNE) of Redis 8.4; DELIFEQ of Valkey 9. With [Options].Version the nodes have only the commands of one
//     server, and HELLO and INFO name it; COMMAND and scripts' REDIS_VERSION do not.
//   - Client-side caching, on primaries and replicas: CLIENT TRACKING without REDIRECT, and CLIENT CACHING, TRACKINGINFO
//     and GETREDIR. A client is notified of an expired key when it expires. A script reads the keys that it has really
//     read, as since Redis 7.2. For the clients of a replica, FLUSHALL is the deletion of its keys.
//   - Pipelines, commands that arrive in pieces, inline commands (without quoting), malformed commands.
//   - Time: each node has a clock, which may be off and may jump, and shows whole milliseconds. A key lives until the
//     clock is past its expiry: for its TTL, and up to a millisecond longer.
//   - Load: a node executes one command at a time and is busy with each for [Options].Service. The commands of one
//     segment take effect at one instant; their answers leave when the node has finished all of them.
//   - Asynchronous replication, read-only replicas, failover, split brain, full
//     resynchronisation, and the writes lost by them.
//   - WAIT, which counts the acknowledgements that have reached the primary.
//   - Sentinels ([Options].Sentinels): package internal/sentinel has their rules.
//
// # What is not simulated
//
//   - Blocking commands other than WAIT; streams, geo, HyperLogLog, BITFIELD, fields with an expiry; functions, PUBSUB;
//     SORT, OBJECT, DUMP, CONFIG, ACLs; other databases than 0. COMMAND reports each command's arity, flags
//     and positions of keys, and leaves the rest empty. A command that is not in the table, an unsupported option, and
//     a part of Lua that is missing here end the run without a verdict ([sim.ServerConn.Refuse]). The answer is "ERR
//     the simulated Redis does not support '...'", and makes EXEC fail as an unknown command does.
//   - Memory: nothing is evicted. Persistence: only the data that a node has after a restart.
//   - Partial resynchronisation: a replica that joins is sent everything.
//   - Redis's order of unordered data: SMEMBERS, HGETALL, KEYS and the like answer in sorted order, SCAN all at once.
//     In RESP3 members and scores alternate, where Redis nests pairs. DBSIZE does not count expired keys.
//   - In scripts: bit, struct, cmsgpack, redis.setresp(3), redis.set_repl, script flags ('#!lua') and a time limit.
//     cjson is an approximation: it writes numbers with all their digits (Redis: fourteen), an empty table as a list,
//     and keys in order. Errors of the interpreter itself have other texts. Arithmetic accepts text like 0b11 or
//     1_000 as a number. A multiple assignment to locals assigns the first before it evaluates the last value. pairs
//     finds nothing in the tables that all scripts share (redis, string, math, ...).
//   - HINCRBYFLOAT and INCRBYFLOAT calculate with more digits than Redis. For a command with two errors the answer
//     may name the other one. The sign of a zero score is lost, as in Redis's small sorted sets.
//
// # Observations
//
// A node reports every change of a key, when it happens, as a [model.Observation]: created, changed (value or
// expiry), expired, deleted, or dropped. Expiry is an event of its own, observed without an access of the key. Each
// command of a script or a transaction is observed by itself, including its effects before an error.
//
// By is the cause: the process, its connection, and the operation that the process had open when it *sent* the
// request, however late that arrives. (If a command arrives in pieces, the last one counts; for a transaction its
// EXEC does.) On a replica By is the client that wrote to the primary. By is zero for changes by time or by a fault.
//
// Owner is the origin of the key's value: the last request that changed it, or replaced it even by the same value
// (SET, GETSET, MSET, INCR, RENAME to it, ...). EXPIRE, PERSIST and GETEX change the expiry and leave the owner.
//
// Replaying a node's observations gives exactly the keys that it shows.
//
// # Replication
//
// A primary ships effects: each changed key's value, absolute expiry and owner. All effects of a command, script or
// transaction are one message, so a replica has all of them or none. Messages arrive in order, with the network's
// latency, and cuts between nodes hold them. [Node.Offset] counts the bytes of effects, [Node.Lag] those that a
// replica has not yet received.
//
// Replicas acknowledge effects when a WAIT asks them. Unlike Redis's, they do not also do so once a second, so only
// runs with WAIT have such messages. Question and answer travel as effects do: late, held by cuts, and lost if either
// end crashes or the stream ends. A WAIT counts for the last write of its connection, and its timeout runs by true
// time, not by the node's clock. A client that waits on a primary that crashes, or becomes a replica, is
// disconnected; in the second case Redis answers UNBLOCKED first.
//
// With [Options].MinReplicas a primary refuses writes with NOREPLICAS, in scripts and transactions as well, if too few
// replicas have acknowledged within [Options].MaxLag. Real replicas acknowledge once a second; here the world's faults
// show who hears whom, and how long a silent replica counts is a decision of the kind [LagTimer].
//
// A replica refuses writes with READONLY. It hides a key that has expired by its own clock, which is observed as
// "expired". It deletes a key only when its primary does. It shows a hidden key again if its clock goes back or the
// primary had extended the key in time, and loses it for good when it is promoted. Messages of Pub/Sub go to the
// subscribers of one node and are not replicated.
//
// # Failover
//
// [Node.Crash] resets the node's connections, each client by an event of its own. Its queue, its messages in flight
// (including replication) and its scripts are lost; its keys stay as on a disk. [Cluster.Promote] makes a replica the
// primary with the data that it has then; writes that it had not received are lost silently. From then on new
// connections to the stable address ([Cluster.Address]) lead to it. Old connections are not touched, so a live old
// primary goes on serving its clients. [Cluster.Rejoin] makes an old primary a replica: its clients are disconnected,
// as Sentinel does, and it is loaded with the primary's keys. Keys that only it had, or had with other values, are
// observed as dropped, then new ones as created.
//
// # Restart
//
// [Cluster.Restart] brings a crashed node back in its role ([Kept]): with all of its keys, without the writes of the
// second before the crash, which were not on the disk yet, or empty. Values that a primary has lost are observed as
// dropped, and older values that reappear as created. Keys that expired meanwhile expire. Its replicas are loaded again
// and lose what it has lost.
//
// # Redis Cluster
//
// [NewShards] makes masters that share out the 16,384 hash slots, each with its replicas, and the bus between all of
// them. Clients begin with any of [Shards.Addresses]. What is simulated, and compared with six real nodes of Redis
// 7.0, byte for byte:
//
//   - MOVED, ASK, TRYAGAIN, CROSSSLOT and CLUSTERDOWN, for commands, EXEC, scripts with declared keys, and undeclared
//     keys of scripts; ASKING, READONLY, READWRITE; CLUSTER SLOTS, SHARDS, NODES, REPLICAS, INFO (without statistics),
//     KEYSLOT, MYID, COUNTKEYSINSLOT, GETKEYSINSLOT (in order), COUNT-FAILURE-REPORTS, BUMPEPOCH.
//   - Slots that move: CLUSTER SETSLOT with MIGRATING, IMPORTING, NODE and STABLE, and MIGRATE, during which its source
//     executes nothing else. A key is sent with its remaining TTL, so it lives longer by the time of the transfer. The
//     value's owner stays. If the answer does not arrive within the timeout, both nodes have the key. When a master
//     loses a slot to another, its keys of the slot are observed as dropped.
//   - PUBLISH, which the bus takes to all nodes, and SPUBLISH, to those of its shard.
//
// Each node acts on its own knowledge of the others: which node owns which slots by which config epoch, is suspected
// (PFAIL), or has failed (FAIL). Two nodes may both take themselves for the master of a slot. [Shards.Owner] returns
// the one that is, and [Shards.Claims] reports whether a node believes that it is.
//
// Ping messages are not sent. The faults of the world show who hears whom, and the contents of a ping are sent when
// they change, and when two nodes hear of each other again; so a calm run has no events of the bus. A node suspects
// another of which it has not heard for [ShardsOptions].NodeTimeout, and up to half of it longer. A node has failed
// when a majority of the masters with slots suspects it. A replica of a master that has failed asks for votes after 500
// ms, up to 500 ms more, and a second for each sibling that has more of the stream; it asks for votes in a new epoch,
// of which each master has one, and not two for the same master within twice the node timeout. Meanwhile no node serves
// any slot, as with cluster-require-full-coverage. A master that is cut off from the majority stops after the node
// timeout. Once it reaches the majority again, it serves after the node timeout, but at least 500 ms and at most 5 s; a
// restarted one after 2 s. A master that was stopped executes the requests in its sockets either before or after it
// reads the bus. A master that refuses everything is observed as [model.Closed]. These times are decisions of the kinds
// "fault:bus-...".
//
// CLUSTER FAILOVER lets a replica take its master's place by order ([Node.Failover]). The master holds writes back and
// reports the length of its stream, and the replica asks for votes when it has all of it; with FORCE it asks at once,
// and with TAKEOVER it does not ask. After five seconds the order is dropped, and the master goes on with the writes.
// Meanwhile keys of the master still expire by themselves.
//
// A node's knowledge, and its open slots, are on its disk. [Cluster.Restart] works for nodes of a Redis Cluster, and
// Promote does not. From the first move of a slot on, observations show where its keys really are ([model.Assigned]),
// and notes show clients that are redirected (ASK). Requests with keys of several slots are shown as [model.Scattered],
// and a note shows a client that gets a slot's old owner by CLUSTER SLOTS. Not simulated are CLUSTER MEET, FORGET,
// RESET, REPLICATE, ADDSLOTS and the like, replicas that move to another shard by themselves, and a MIGRATE within a
// transaction or a script.
//
// # Hanging nodes, jumping clocks
//
// [Node.Hang] stops a node for a while: it accepts connections, requests arrive, and all of them are executed when it
// goes on, even if their clients have closed the connection. A WAIT whose timeout is over by then does not count
// acknowledgements that arrived meanwhile; a replica that hangs acknowledges when it goes on. [Node.Jump] sets its
// clock forward or back; expiries are absolute, so keys then expire early or late.
//
// # Random numbers
//
// SPOP, SRANDMEMBER, RANDOMKEY, HRANDFIELD and ZRANDMEMBER draw from a stream of the node; its seed is a decision,
// asked at the first of these commands. math.random in scripts is Redis's generator, which begins with the same
// numbers after every start.
//
// # Threading
//
// Everything here is for the conductor: the function that sets up the world, injectors, and events. The package
// starts no goroutines. Helpers for clients are the exception: connections of go-redis go through [Sorted], since
// go-redis sends one request in the order of a map.
package simredis
