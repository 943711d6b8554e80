// Package realredis starts a real Redis for a test: a redis-server from the PATH, on a free port of the loopback interface
// and a socket, with nothing on disk.
//
//	server := realredis.Start(t)
//	client := redis.NewClient(&redis.Options{Addr: server.Addr})
//
// If no server is on the PATH, [Need] and [Start] skip the test, with a message that it has not passed; if the variable CI
// is set they fail it. In a table of tests that shares one server each test should call Need, so that each is counted as
// skipped.
//
// A program starts a server by [Launch], and stops it itself.
package realredis
