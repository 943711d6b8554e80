// Package simfile simulates a file server with leases inside a world of package sim: a directory of
// files on one server, exclusive creation, and locks of files that live with the lease of their client.
//
//	s := simfile.New(world, simfile.Options{Lease: 2 * time.Second}, observe)
//	conn, err := process.DialContext(ctx, "tcp", s.Address(), 0)
//
// # The protocol is Lockpick's own
//
// There is no unmodified client library of a shared file system: its client is a part of the kernel. So the protocol,
// lines of text ([Request], [Answer]), and the client that speaks it (package stores/file) are Lockpick's own. Their
// meaning follows NFS, version 4; their encoding does not. NFSv4.0 is RFC 7530, NFSv4.1 RFC 8881.
//
// # What is modelled
//
//   - Exclusive creation, with a verifier by which a client that retries recognizes its own file: OPEN with EXCLUSIVE4
//     (RFC 7530, section 16.16; RFC 8881, section 18.16). Here the file has its content at once.
//   - REMOVE and RENAME by name, whichever file has it (RFC 7530, sections 16.26 and 16.27), and the time of the last
//     write by the server's clock.
//   - Leases: all locks of a client have one. Every request of the client renews it, RENEW among them (RFC 7530,
//     sections 9.5 and 16.28). When it expires, the client's locks are gone; its files stay.
//   - Locks of whole files, exclusive and without waiting: LOCK is refused if another owner has the lock, and asked
//     again later (RFC 7530, section 9.4). As with flock(2) a lock belongs to the file, even when the file is renamed.
//   - A restart loses the locks. It begins a grace period of the length of a lease, in which clients reclaim their
//     locks; requests that might conflict are refused meanwhile (RFC 7530, section 9.6.2; RFC 8881, section 8.4.2). It
//     ends as soon as nothing is left to reclaim.
//   - Sessions that execute each request once: a session has one slot, and the answer to its last request is kept and
//     returned again for a request with the same number. Earlier requests, and those of connections that the client has
//     left, are not executed any more (RFC 8881, section 2.10.6). The answers are on disk and outlive a restart
//     (section 2.10.6.5), and end with the lease.
//   - Faults: crash and restart with all files, hangs, clocks that jump.
//
// NFSv3 (RFC 1813) and NFSv4.0 have no sessions, and their servers keep answers for a while at best. With them a REMOVE
// that is late, or is repeated after its answer was lost, may remove a file that another client has made meanwhile. No
// lock by a file can prevent that.
//
// # What is not
//
// Open files, share reservations and delegations; shared locks and ranges of bytes; directories, links and attributes;
// caches of clients (a client reads the server's data); several servers, migration and pNFS; several requests of a
// session at once; access rights. Here the server knows exactly which locks existed before a restart, and so refuses a
// client that reclaims a lock that it did not have. A real server knows at best which clients had locks (RFC 7530,
// section 9.6.3).
//
// # Observations
//
// Each file is a record under its name, with its content. Each lock is one under [LockKey], with its owner; it lives
// with a lease, and is observed as expired when that ends. Notes show the leases of locks to the reader: opened,
// renewed, expired, closed. After a restart the record of a lock that can be reclaimed stays until the grace period is
// over, since nobody else gets the lock.
//
// # Fidelity
//
// Tests of package stores/file compare random scripts with a directory of the machine's own file system, by
// O_EXCL and flock(2), line for line.
//
// # Threads
//
// Everything belongs to the conductor, as in package sim.
package simfile
