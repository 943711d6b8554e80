// Package confirm makes a counterexample happen on real servers.
//
// A trace has the order in which requests reached the store, answers reached their clients, nodes died and processes were
// stopped. [Confirmation.Try] starts real servers and one process for each client, with the lock of the trace in it,
// unmodified, over real connections. A gate between each client and the servers holds every request and every answer until
// its turn in that order. Faults are real: a paused client gets SIGSTOP, a node that crashes SIGKILL, a lost answer is a
// connection that is reset, and a promotion is the server's own. Nothing happens before its time in the trace, since
// holding a message for too long would be another fault.
//
// The result is a [model.History] like that of a simulated run: the driver lets one request through at a time and reads
// the store's records before and after it. Package checker judges it. A run is confirmed if it violates the same property,
// in the same class (fault or limit), by the same cause. A run that leaves the order is a [Divergence]. A divergence, or a
// violation by another cause, proves nothing about the lock.
//
// Runs are not deterministic, since neither servers nor machines are. So a counterexample is confirmed in a number of
// tries. On a busy machine tries fail: a client's own time-out may pass before its turn.
//
// A [Store] starts the servers of a store and reads its protocol; each is in a package of its own, and [Stores] is the
// table of those of a program. The lock is a [realclient.Subject], in this process or, by [StartRemote], in another. A
// trace that cannot be forced is a [ForceError].
//
// The design follows earlier work on the messages of real systems: Mocket (Wang et al., "Model checking guided testing for
// distributed systems", EuroSys 2023) releases them in the order of a model's path, and reports a step that the system
// does not make as a difference.
//
// All listeners are on the loopback interface. One goroutine may use a Confirmation at a time.
package confirm
