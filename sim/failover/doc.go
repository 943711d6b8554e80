// Package failover is shared by the servers of stores with a primary, which takes all writes, and
// replicas, which receive them later: each server is a [Node] of a [Cluster]. Each store defines
// its writes and its full copies.
//
// Everything belongs to the conductor, as in package sim.
package failover
