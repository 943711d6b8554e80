// Package realmysql starts a MariaDB of Debian's packages on the loopback interface, without passwords.
//
// [Start] gives a test a server on a free port, with its files in a temporary directory, and stops it when the test is over:
//
//	server := realmysql.Start(t)
//	db, err := sql.Open("mysql", server.DSN)
//
// A new data directory takes seconds, so it is made once and kept in [os.TempDir]; each server has a copy of it.
//
// If MariaDB is missing, [Need] and [Start] skip the test and report that it was skipped and not passed; if the
// variable CI is set, they fail it. A program starts a server by [Launch], and stops it itself. [Run] keeps a server's
// files in a directory that the caller gives.
package realmysql
