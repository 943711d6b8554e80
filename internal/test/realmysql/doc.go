// Package realmysql gives tests a real MariaDB: a server from Debian's packages, on a free port
// of the loopback interface, with its files in a temporary directory, for the test that asked
// for it.
//
//	server := realmysql.Start(t)
//	db, err := sql.Open("mysql", server.DSN)
//
// A new data directory takes seconds, so it is made once and kept in [os.TempDir]; each server
// has a copy of it.
//
// Where MariaDB is missing, [Need] and [Start] skip the test and say that it was skipped and not
// passed; where the variable CI is set they fail it.
//
// A program starts a server by [Launch], and stops it itself.
package realmysql
