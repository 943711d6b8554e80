// Package faults has the faults of all stores, one kind per file: faults of client
// processes and their clocks, of the network, and of servers that have the needed
// capability. [All] lists them. [Tell] describes the effect of a choice of a recorded run.
//
// To add a fault, write a file with a value like the others and add it to All. A store
// declares faults of its own in its own package, in the same way.
package faults
