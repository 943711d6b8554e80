// Package scripts plays scripts of several sessions on a PostgreSQL, real or simulated, at the level of the protocol's
// messages, and writes down what each session is answered and which sessions wait: tests compare two plays line by line.
//
// A [Command] is a message that a session sends, or what happens to it from outside. [Draw] draws a random script, [Read]
// reads one that is kept in a file, and [Play] plays one at a [Place]. [Real] is a place on real servers; a test makes one of
// a simulated world.
//
// What differs from run to run is replaced: numbers of processes by those of sessions, numbers of transactions, of
// relations and of databases by letters in the order in which they come, addresses of row versions.
package scripts
