// Package filelocks has locks by files of a file system that several machines share. The comment of each
// gives its guarantee, what breaks it (with the scenario and the property of Lockpick that show it) and what it
// costs.
//
//	locker := filelocks.NewExclusive(filelocks.Dir("/mnt/shared/locks"), "orders.lock", filelocks.Options{})
//
// For production:
//
//   - [Exclusive]: a file that is created exclusively. It has no end: the file of a holder that crashes
//     stays. It needs nothing of the file system but O_EXCL, which NFS has since version 3.
//   - [Flock]: a lock that lives with the lease of the file system's client. It ends with its holder, and
//     notifies a holder that may have lost it. It needs a client that reports a loss, as [Locking] does. The
//     kernel's does not: Linux answers the next access to the file with an error, and a program that does not
//     access it learns of nothing.
//
// None has a fencing token, none depends on the simulation.
//
// Locks that are flawed on purpose are in package flawed. Breaking another's file because it is old is
// among them.
package filelocks
