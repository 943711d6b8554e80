// Package store is the plug-in of Kubernetes: API servers with leases, without a client. Most tests import
// package kube.
//
// A scenario's lease lasts 15 seconds at least, since a record's leaseDurationSeconds is a whole number, and
// client-go's defaults are 15, 10 and 2 seconds: a lease, the time in which a leader renews it, and the pause
// between two tries.
//
// Everything belongs to the conductor, as in package sim.
package store
