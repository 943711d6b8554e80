// Package failover has what the servers of stores have in common in which one server, the primary,
// takes all writes, and the others, its replicas, learn of them later: each is a [Node] of a
// [Cluster]. Each store defines what a write is, and what a full copy is.
//
// Everything belongs to the conductor, as in package sim.
package failover
