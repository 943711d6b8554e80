// Package operators has operators that elect their leader by client-go, as people write them, and repaired: programs for
// locktest.CheckProgram.
//
//   - [Reconcile]: the leader writes an object, and must be the only one who does. Flawed, its work goes on after the
//     elector has stopped leading.
//   - [Renew]: the leader reads many objects at a time. Flawed, the elector has the client of the work, with its rate limiter:
//     its renewals wait behind the work until the leader loses its Lease, although nothing has failed.
//
// The objects are Leases, since the simulated API servers have no others.
//
// Everything belongs to the client processes that run them.
package operators
