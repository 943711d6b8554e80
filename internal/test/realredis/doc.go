// Package realredis gives tests a real Redis: a redis-server from the PATH, on
// a free port of the loopback interface and a socket, with nothing on disk, for
// the test that asked for it.
//
//	server := realredis.Start(t)
//	client := redis.NewClient(&redis.Options{Addr: server.Addr})
//
// Where no server is on the PATH, [Need] and [Start] skip the test and say that
// it was skipped and not passed; where the variable CI is set they fail it. A
// table of tests that shares one server lets each of them call Need, so that
// each of them is counted as skipped.
//
// A program starts a server by [Launch], and stops it itself.
package realredis
