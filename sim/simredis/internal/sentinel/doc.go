// Package sentinel simulates the processes that watch a primary with its replicas and decide which
// server is the primary: Redis Sentinel, by its source (sentinel.c of Redis 7.0) and its documentation
// (https://redis.io/docs/latest/operate/oss_and_stack/management/sentinel/).
//
//   - A [Sentinel] that has not heard of a server for [Rules].DownAfter takes it for down (+sdown). If
//     it is the primary it asks the others, and when [Rules].Quorum agree it is objectively down
//     (+odown).
//   - A sentinel that knows of that begins a failover in a new epoch (+try-failover), and asks for
//     votes. Each sentinel votes once in an epoch, for the first that asks; two that begin at once split
//     the votes. The leader needs the quorum, and a majority of all sentinels.
//   - The leader selects a replica by priority, offset and run id, promotes it, waits until it says
//     that it is a primary, and lets the other replicas follow it. The others learn of the new
//     primary by the leader's hello message, at once; the leader publishes +switch-master last, when
//     the replicas have followed, or [Rules].FailoverTimeout is over.
//   - A server that acts as a primary, and that the sentinels know as a replica, is made a replica ten
//     seconds after they have reached it. Until then there are two primaries.
//   - A sentinel that was stopped for longer than two seconds acts on nothing for thirty (+tilt).
//
// Heartbeats are not sent: a sentinel knows from the world's faults whom it reaches, and until when it
// has heard of it. What is sent are questions for votes, their answers, hello messages after a change,
// and orders to servers. So a calm run has no events of sentinels.
//
// Sentinels add two sources of randomness, a timer of 100 ms and a delay of up to a second before the
// next try. Both are decisions of the kind [Timer].
//
// Everything belongs to the conductor, as in package sim.
package sentinel
