// Package quorum is shared by the servers of stores that replicate a log under a leader elected by a
// majority: each server is a [Member] of a [Group].
//
//   - The leader sends its log, and whatever it appends, to its followers ([Leadership]). An entry
//     is committed when a majority has accepted it; followers learn of that by a later message.
//   - Servers that have not heard of their leader, or of a majority of followers, for a while look
//     for another leader. They send no heartbeats: the group derives from the world's faults which
//     servers reach each other. Votes are not simulated, only their outcome: several servers are
//     never elected at once.
//   - The [Rules] of a group hold the differences between stores. The [Hooks] of a member do the
//     rest of its server's work, such as serving clients.
//   - [Reads] are reads that need the leader's word that it still leads ([Leadership.ReadIndex]).
//   - [Sessions] has the sessions, or leases, and the records that live with them.
//
// Everything belongs to the conductor, as in package sim.
package quorum
