// Package lab measures the performance of locks: throughput and waiting, in virtual time or on real servers.
//
// A [Plan] is a world: servers that serve one request at a time and take a given time for each, a network with a
// distribution of latencies, and client processes whose threads acquire, work and release. [Run] runs it in virtual time,
// and [Plan.Real] on real servers. Both return a [Sample]: every try with its times, and the number of requests served.
//
// A run in virtual time depends on the plan and the tape alone, so that it can be repeated,
// recorded and drawn. Its virtual time does not depend on the machine.
package lab
