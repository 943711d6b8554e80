// Package quorum has what the servers of stores have in common that replicate a log under a leader,
// which a majority has elected: each is a [Member] of a [Group].
//
//   - The leader sends its log, and whatever it appends, to its followers ([Leadership]). An entry
//     is committed when a majority has accepted it; followers learn of that by a later message.
//   - Servers that have not heard of their leader, or of a majority of followers, for a while look
//     for another leader. No heartbeats are sent for that: the group knows who reaches whom from the
//     world's faults. Votes are not simulated, only their outcome: several servers are never elected
//     at once.
//   - The [Rules] of a group are what differs between stores. The [Hooks] of a member are what its
//     server does besides replication, such as serving clients.
//   - Which sessions, or leases, there are, and which records live with them, is kept in [Sessions].
//
// Everything belongs to the conductor, as in package sim.
package quorum
