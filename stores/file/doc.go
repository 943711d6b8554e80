// Package file simulates a file server for tests of locks: a directory that several machines share,
// exclusive creation, and locks of files that live with the lease of their client.
//
// A test names the store with locktest.On, and the lock takes its client from [Connect]:
//
//	locktest.Check(t, func(c *locktest.Client) lock.Locker {
//		return mylock.New(file.Connect(c), c.LockName())
//	}, locktest.On(file.Store))
//
// There is no unmodified client library of a shared file system, whose client is a part of the kernel: [Client]
// and its protocol are Lockpick's own. Package simfile lists the parts of NFS that they model, and those that
// they do not.
//
// "The lease" of scenarios is the client's lease with the server, with which its locks live; files do not expire.
// A lock's records are the file of its name, with its content, and the lock of that file. [Locked] is the
// ownership of the latter.
//
// # What a store needs
//
// This is the smallest store that Lockpick has: a server (package simfile), a client of its own (client.go,
// files.go and locks.go), and the code that makes a store of the two (store.go and ownership.go). Every store
// needs
//
//   - a server that listens on the kernel's network as an actor, takes segments and sends answers, and observes
//     each change of a record: its key, value, owner, the request that caused it, and when it expires. Its hangs
//     and crashes are the work of the host that all servers share (package sim/server);
//   - a stage.Store, of which most methods return a constant: terms, traits, time-outs, the names of its servers;
//   - a stage.Authority with its nodes, and their capabilities: to restart, hang, and jump;
//   - a Connect, which gives a client process the store's client over [cell.Client.Dial].
//
// A payload.Reader shows segments in words, and notes show state other than records; a store works without
// either.
//
// Package builtin has the locks that come with Lockpick, and their expectations.
package file
