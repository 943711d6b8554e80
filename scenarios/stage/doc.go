// Package stage is where a run takes place: the servers of a store, the client
// processes and the faults that may strike them. It knows no store, no lock and no
// scenario.
//
// A [Fault] is one value. It says what its parameter is called, where and when it
// may strike, for how long, what it does then and how that ends, and how people
// are told of it. Package faults has those of every store, each in a file of its
// own.
//
// Faults see the servers of a store as a [Cluster] of [Server] values and their
// [Node] values. What not every store can do is an interface of its own, such as
// [Hanger] or [Replicated]: a fault asks by type assertion, and does not strike
// what cannot be struck.
package stage
