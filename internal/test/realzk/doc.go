// Package realzk gives tests a real ZooKeeper: a single server from Debian's
// packages, on a free port of the loopback interface, with its files in a
// temporary directory, for the test that asked for it.
//
//	server := realzk.Start(t, 200*time.Millisecond)
//	conn, events, err := zk.Connect([]string{server.Addr}, 5*time.Second)
//
// Where Java or ZooKeeper is missing, [Need] and [Start] skip the test and say
// that it was skipped and not passed; where the variable CI is set they fail it.
//
// A program starts a server by [Launch], and stops it itself.
package realzk
