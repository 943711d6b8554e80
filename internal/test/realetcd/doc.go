// Package realetcd starts a real etcd for a test: a single server from Debian's packages, on free ports of the loopback
// interface, with its files in a temporary directory.
//
//	server := realetcd.Start(t, time.Second)
//	answer, err := http.Post("http://"+server.Addr+"/v3/kv/range", "application/json", body)
//
// If etcd is missing, [Need] and [Start] skip the test, with a message that it has not passed; if the variable CI is set
// they fail it.
//
// A program starts a server by [Launch], and stops it itself.
package realetcd
