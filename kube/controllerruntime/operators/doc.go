// Package operators has an operator over controller-runtime's manager, as people write it, and repaired: programs for
// locktest.CheckProgram.
//
// [Reconcile] is a runnable that writes an object while its manager leads. Flawed, it ignores the end of its context, and the process
// makes another manager when the first has lost its Lease.
//
// The object is a Lease, since the simulated API servers have no others.
//
// Everything belongs to the client processes that run them.
package operators
