// Package faults has what can go wrong in every store, one kind in each file: the
// processes of clients and their clocks, the network, and the servers as far as
// they can do what a fault needs. [All] lists them; [Tell] says in words what a
// choice of a recorded run did.
//
// To add a fault, write a file with a value like the others' and add it to All. A
// store that has faults of its own declares them in its own package in the same
// way.
package faults
