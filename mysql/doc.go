// Package mysql simulates MySQL for tests of locks: a server with replicas, and unmodified
// clients of database/sql and github.com/go-sql-driver/mysql that connect to it.
//
// A test names the store with locktest.On, and the lock takes its pool of connections from
// [Connect]. [Store] has no tables; [Schema] is the store with tables:
//
//	const table = `CREATE TABLE mylock (name VARCHAR(64) PRIMARY KEY, owner VARCHAR(64))`
//
//	locktest.Check(t, func(c *locktest.Client) lock.Locker {
//		return mylock.New(mysql.Connect(c), c.LockName())
//	}, locktest.On(mysql.Schema(table)))
//
// Variables such as innodb_lock_wait_timeout and wait_timeout are set as with a real server: by
// the driver's Params ([ConnectWith]) or by SET. The parameter semi-sync of scenarios makes
// commits wait for a replica: 1 for ten seconds at most, 2 for as long as it takes. Package simmysql
// lists the SQL that the server supports. Any other statement fails the run, with a message that
// has it.
//
// "The lease" of scenarios is what the lock keeps: the end that is stored in a row, or the
// connection, which the server closes after its wait_timeout. A lock's records are the rows
// whose primary key is the lock's name, the locks on these rows, and the named lock
// (GET_LOCK) of that name. [RowOwnership] names the columns of a row's owner and end.
//
// The module examples/mysql shows a lock that is not part of Lockpick, with its test.
//
// Package builtin has the locks that come with Lockpick, and what is expected of them.
package mysql
