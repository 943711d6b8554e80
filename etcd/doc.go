// Package etcd runs the real client of etcd, go.etcd.io/etcd/client/v3 over grpc-go,
// unmodified, in the simulated world of package sim.
//
//	client, err := etcd.New(process, []string{"10.0.1.1:2379", "10.0.1.2:2379"})
//	world.OnEnd(func() { client.Close() })
//
// Runs are deterministic: the same tape gives the same events, byte for byte, at every
// GOMAXPROCS and in builds with the race detector. [Config] says what that takes. Tests
// show that runs differ without what is done about frames, keep-alives of several leases,
// back-offs, round_robin and threads.
//
// It is a module of its own, so that those who test locks over other stores compile
// neither etcd's client nor gRPC.
package etcd
