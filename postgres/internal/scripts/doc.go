// Package scripts plays scripts of several sessions on a PostgreSQL, real or simulated, at the level of the protocol's
// messages, and writes down what each session is answered and which sessions wait: tests compare two plays line by line.
//
// A [Command] is a message that a session sends, or what happens to it from outside. [Draw] draws a random script, [Read]
// reads one that is kept in a file, and [Play] plays one at a [Place]. [Real] is a place on real servers; a test makes one of
// a simulated world.
//
// What differs from run to run is replaced: numbers of processes by those of sessions, numbers of transactions, of
// relations and of databases by letters in the order in which they come, addresses of row versions. Times are not shown. What is
// not compared: rows that a real server has sent before the error of the statement; the order of the rows of joins without
// ORDER BY; the place of an error in the server's source; what a statement does whose client is gone while it
// waits; definitions of a table that an open portal of the session reads.
//
// Which of two holders of a table's lock a real server visits first when it looks for a deadlock depends on the places of their
// processes in shared memory, if they have the lock by the fast path. So the sessions of a script get the connections in one order
// in one play, and in the opposite order in the next; a simulation has the order in which the locks were taken.
//
// How a real server's waits are known: with [Settings] it reports to the session itself when it has looked for a deadlock and still
// waits, and when it has got a lock; pg_locks then says whether it waits now. So nothing depends on how fast the machine is,
// but for time-outs and for signals between sessions, after which a place waits a little.
package scripts
