// Package executor analyses and executes the statements of a simulated PostgreSQL: queries, changes of rows, and
// definitions.
//
//	p, err := executor.Prepare(session, statement, nil) // names, types and parameters
//	r, err := p.Run(session, params)                    // rows and a command tag; may park the session's coroutine
//	c, err := p.Start(session, params)                  // the same for a query whose rows are read one by one
//
// # What it knows
//
// SELECT with WITH, joins (not FULL), queries in FROM and in expressions, groups, DISTINCT, UNION and its kin, ORDER BY, LIMIT and
// the locks on rows; INSERT, UPDATE, DELETE, also in WITH; ON CONFLICT; RETURNING; tables with defaults, generated and
// identity columns, checks, keys and foreign keys; indexes with expressions and predicates; sequences, schemas,
// enumerations; functions that are one SELECT, triggers FOR EACH ROW and DO blocks in a small part of PL/pgSQL; LOCK TABLE and
// TRUNCATE. Package types has the pure functions; those that depend on the session, a clock, chance, locks or the catalog are
// here, and views of the server are the session's.
//
// # When things are evaluated
//
// Rows are made when they are read, in PostgreSQL's order: a scan with its conditions, groups, sorting, the SELECT list,
// the lock on the row, LIMIT. So a function with effects runs for rows that LIMIT leaves out if they have to be
// sorted, and LIMIT counts only rows that SKIP LOCKED has not skipped. In READ COMMITTED, a row that another
// transaction has changed during the wait is checked and evaluated again with its newest version, as EvalPlanQual does; if it was only
// locked, what was evaluated before the wait is kept. What INSERT inserts, EXCLUDED with it, is evaluated before
// ON CONFLICT waits, and SET of DO UPDATE after that. Queries in expressions that depend on nothing around them are evaluated once,
// when they are first needed. Changes in WITH see the snapshot of the statement, and are finished after it, the last one first.
// Triggers and foreign keys follow at the end of the statement.
//
// # Plans
//
// The plans are those that PostgreSQL makes for a table that was never analysed, as the tables of tests are, as far as the
// order of rows, or of their locks, shows it: cost.go has its costs for one table, for looking up rows in a unique index, and for
// hashing them. Beyond that the parts of FROM are read with the fewest rows first. Rows of equal order are in the order that
// PostgreSQL's sort leaves them in.
//
// # Fidelity
//
// Scripts of sessions in testdata have the answers of PostgreSQL 15.18: results with their types, errors with their details and
// positions, notices, and which sessions wait. So are the types of parameters. Statements of programs are executed, and not compared.
//
// It differs from PostgreSQL in this: groups, and what DISTINCT and UNION leave, are in the order of their first rows where
// PostgreSQL has that of a hash table; partial indexes, statistics and ANALYZE are not used for plans; a statement is analysed at
// each execution, and has no generic plan; a function of a user has one form; CREATE INDEX CONCURRENTLY is one transaction, and leaves
// no invalid index when it fails. Hints are not all PostgreSQL's. What is missing is refused by name ([pgerror.Lacks]): FULL JOIN, WITH
// RECURSIVE, window functions but row_number, the whole row of a table as a value, ctid, views, temporary and partitioned
// tables, deferrable constraints, collations but C.
//
// # Threads
//
// Everything belongs to the conductor, as in package sim. Run is called in the coroutine of the session's statement,
// which waits by parking it.
package executor
