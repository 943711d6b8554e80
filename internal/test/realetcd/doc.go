// Package realetcd gives tests a real etcd: a single server from Debian's packages, on free
// ports of the loopback interface, with its files in a temporary directory, for the test that
// asked for it.
//
//	server := realetcd.Start(t, time.Second)
//	answer, err := http.Post("http://"+server.Addr+"/v3/kv/range", "application/json", body)
//
// Where etcd is missing, [Need] and [Start] skip the test and say that it was skipped and not
// passed; where the variable CI is set they fail it.
//
// A program starts a server by [Launch], and stops it itself.
package realetcd
