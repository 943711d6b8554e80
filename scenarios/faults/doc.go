// Package faults has the faults of all stores, one kind per file: faults of client
// processes and their clocks, of the network, and of servers that have the needed
// capability. [All] lists them. [Describe] describes the effect of a choice of a recorded run.
//
// To add a fault, write a file with a value like the others and add it to All. A store
// declares faults of its own in its own package, in the same way. A test or a program does not
// add its own fault to All, but puts it into the budget of a scenario of its own.
//
// Most faults strike an actor before an event of its own: see [stage.Strikes]. Pauses and
// LostReplies are short examples; Partitions has an injector of its own.
package faults
