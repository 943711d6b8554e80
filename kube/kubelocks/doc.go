// Package kubelocks has locks that are Leases of Kubernetes (coordination.k8s.io/v1), over plain net/http. The comment
// of each gives its guarantee, what breaks it (with the scenario and the property of Lockpick that show it) and what
// it costs.
//
//		client := &http.Client{Transport: transport} // with the cluster's certificates and a token
//		locker := kubelocks.NewLease(client, "https://10.0.0.1:6443", "default", "orders", kubelocks.Options{Identity: hostname})
//
//	  - [Lease]: a client takes a Lease that has not changed for as long as its holder has it.
//	  - [CancelledLease]: a Lease that an Acquire gives up if its context ends.
//	  - [FencedLease]: a Lease with a token, its number of transitions.
//
// None depends on the simulation, and without options they run in production. A client needs the verbs get, create
// and update for leases. Locks that are flawed on purpose are in package flawed.
package kubelocks
