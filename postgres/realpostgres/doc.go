// Package realpostgres starts a PostgreSQL and a PgBouncer of Debian's packages on the loopback interface, without
// passwords.
//
// [Start] gives a test a server on a free port, with its files in a temporary directory, and stops it when the test is over.
// [StartPooler] gives it a pooler in front of a server:
//
//	server := realpostgres.Start(t)
//	pooler := realpostgres.StartPooler(t, server.Addr, realpostgres.Pooling{Mode: "transaction"})
//	db, err := sql.Open("pgx", pooler.DSN)
//
// Both programs refuse to run as root: a test that runs as root runs them as the user postgres, or else nobody. A new data
// directory takes a second, so it is made once and kept in [os.TempDir]; each server has a copy of it. A server does not
// wait for its disk (fsync is off), so that it keeps what was committed if its processes are killed, and not if the
// machine loses power.
//
// If a program is missing, [Need], [NeedPooler], [Start] and [StartPooler] skip the test and report that it was skipped and
// not passed; if the variable CI is set, they fail it. A program starts them by [Launch] and [LaunchPooler], and stops them
// itself. [Run] and [RunPooler] keep the files in a directory that the caller gives.
package realpostgres
