// Package realzk starts a ZooKeeper of Debian's packages on the loopback interface, alone or as a member of an ensemble.
//
// [Start] gives a test a single server on a free port, with its files in a temporary directory, and stops it when the
// test is over:
//
//	server := realzk.Start(t, 200*time.Millisecond)
//	conn, events, err := zk.Connect([]string{server.Addr}, 5*time.Second)
//
// If Java or ZooKeeper is missing, [Need] and [Start] skip the test and report that it was skipped and not passed; if
// the variable CI is set, they fail it. A program starts a server by [Launch], and stops it itself. [Run] and
// [RunMember] keep a server's files in a directory that the caller gives.
package realzk
