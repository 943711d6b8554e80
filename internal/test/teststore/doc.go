// Package teststore is a store unlike Redis: a cloakroom with one desk. TAKE hands out a
// ticket with a name on it, for the requested time, unless another client has it. GIVE
// takes the ticket back. The desk is a process with a clock. It can crash, restart with or
// without its tickets, and hang, and its clock can jump. It shows which coats are overdue:
// an event that no other store has.
//
// Tests use it to show that scenarios, judging, shrinking, explanations and pictures reach
// a store only through its plug-in. It has two locks: a sound one, and one that gives back
// a ticket without checking whose it is.
package teststore
