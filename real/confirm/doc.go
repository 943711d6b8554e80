// Package confirm makes a counterexample happen on real servers.
//
// A trace says in which order requests reached the store, answers reached their clients, nodes died and processes
// stood still. [Confirmation.Try] starts real servers and one process for each client, with the lock of the trace in
// it, unmodified, over real connections. Between each client and the servers is a gate, which holds every request
// and every answer back until its turn in that order has come. Faults have real means: a paused client gets
// SIGSTOP, a node that crashes SIGKILL, a lost answer is a connection that is reset, and a promotion is the server's
// own. Nothing happens before its time in the trace, since a message that is held for too long would be a fault of
// its own.
//
// What happened is a [model.History] like that of a simulated run: the driver lets one request through at a time and
// looks at the store's records before and after it. Package checker judges it. Confirmed is a run that violates the
// same property, in the same class (fault or limit), by the same cause. A run that leaves the order is a
// [Divergence], and none of both is a statement about the lock: so is a violation by another cause.
//
// Runs are not deterministic, since neither servers nor machines are. A counterexample is confirmed by so many of so
// many tries. A machine that is busy makes tries fail: a client's own time-out may then pass before its turn has
// come.
//
// A [Store] starts the servers of a store and reads its protocol; each is in a package of its own, and [Stores] is the table of those that a
// program has. The lock is a [realclient.Subject], in this process or, by [StartRemote], in another. A trace that cannot be forced is a
// [ForceError].
//
// The design follows what others do with the messages of real systems: Mocket (Wang et al., "Model checking guided
// testing for distributed systems", EuroSys 2023) releases them in the order of a model's path, and takes a step that
// the system does not make for a difference between both.
//
// All listeners are on the loopback interface. One goroutine may use a Confirmation at a time.
package confirm
