// Package syntax reads the SQL of PostgreSQL 15: its words, its grammar, and the tree of a statement.
//
// [Parse] reads a text of statements separated by semicolons, as a client's simple query may have several. The tree
// is near to PostgreSQL's own raw parse tree: LIKE is the operator ~~, AT TIME ZONE a call of timezone, INTEGER the
// type int4. Names are folded to lower case, unless they were quoted.
//
// The grammar has what libraries for locks, queues and migrations send. What PostgreSQL accepts besides is refused by
// name ([pgerror.Lacks]) where it is recognized, and anything else as PostgreSQL refuses it: syntax error at or near
// a word, with its position.
//
// The package has no state and starts nothing.
package syntax
