// Package executor analyses and executes the statements of a simulated PostgreSQL: queries, changes of rows, and
// definitions.
//
//	p, err := executor.Prepare(session, statement, nil) // names, types and parameters
//	r, err := p.Run(session, params)                    // rows and a command tag; may park the session's coroutine
//
// # Threads
//
// Everything belongs to the conductor, as in package sim. Run is called in the coroutine of the session's statement,
// which waits by parking it.
package executor
