// Package attach searches locks that Lockpick does not run itself: client processes of any language, over real servers.
// docs/attach.md has the protocol between a client process and this package.
//
// A [Target] is a command, a store and the number of servers and clients. One run ([Target.Run]) has servers and client
// processes of its own; a Search resets servers and uses them again ([Resetting]). There is a gate between each process and
// each server. The clients follow a [Workload]: they acquire, hold, extend and release. A [Plan] has the faults of a run, each
// at a point in terms of what passes a gate, such as the first SET of c1's first acquire: so a plan means the same in every
// run in which that request comes. A request or an answer is lost or delayed, a process is stopped or killed, a server is
// replaced by its follower.
//
// A [Search] draws plans from a seed, first those with one fault and then those with two, judges each run by package checker,
// shrinks a plan that shows a violation, and runs it 20 times: a violation that at least 19 of them show is a finding, and
// any other is unsteady.
//
// A record that lives with a session of SQL belongs to the last request of that session. A lock may be a queue of records
// ([Queued]) or a row, whose columns the client names. Only stores that are no ensemble have followers here; an ensemble
// has one member.
//
// Real time: neither servers nor machines are deterministic, so a search with the same seed may differ. A lock's own
// time-outs of more than some seconds make runs as long. Clocks of clients and servers do not jump, and messages that come
// unasked, such as those of channels, are neither lost nor delayed. What a process does when it is restarted is not searched.
// A client that breaks the protocol is a [ClientError], never a finding.
//
// Each run belongs to one goroutine; a Search makes several at a time.
package attach
