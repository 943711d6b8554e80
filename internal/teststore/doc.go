// Package teststore is a store that is no Redis at all: a cloakroom with one desk.
// TAKE hands out a ticket with a name on it unless somebody has it, for as long as was
// asked for, and GIVE takes it back. It is a process with a clock: it can crash and
// start again, with its tickets or without, hang, and have its clock jump.
//
// With it the tests show that scenarios, judging, shrinking, stories and pictures know
// of no store but by its plug-in. It has two locks: a sound one, and one that gives
// back a ticket without looking whose it is.
package teststore
