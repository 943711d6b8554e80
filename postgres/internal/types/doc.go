// Package types has the data types of PostgreSQL 15 as far as the simulation knows them: values, their text and binary
// formats, casts, operators and pure functions.
//
// A type is named by its [OID], as in PostgreSQL's pg_type. Resolution of operators, functions and casts is
// PostgreSQL's: exact matches, then implicit casts, with literals and parameters of unknown type taken for what fits.
//
// What a database defines is an enumeration ([Enum]): its OID is even and at least [FirstEnum], and the next OID is
// that of its arrays, so that no registry is needed. Its labels are the executor's.
//
// Differences from PostgreSQL: texts are ordered by their bytes (collation C), arrays have one dimension and start at
// 1, the time zone is UTC, and domains, ranges and composite types are not there. What is missing is refused by name
// ([pgerror.Lacks]) if PostgreSQL has it.
//
// Functions that depend on a session, a clock or chance, as now() or pg_advisory_lock, are the executor's. The package
// has no state and starts nothing.
package types
