// Package mysql makes MySQL a store of scenarios: a server with replicas, and clients of
// database/sql and github.com/go-sql-driver/mysql, unmodified, that connect to it.
//
// A lock takes its pool of connections from [Connect]:
//
//	scenarios.Check(t, func(c *scenarios.Client) lock.Locker {
//		return mylock.New(mysql.Connect(c), c.LockName())
//	}, scenarios.On(mysql.Schema(`CREATE TABLE mylock (name VARCHAR(64) PRIMARY KEY, owner VARCHAR(64))`)))
//
// Variables such as innodb_lock_wait_timeout and wait_timeout are set as with a real server, by the
// driver's Params or by SET. The parameter semi-sync of scenarios makes commits wait for a replica.
//
// [Schema] is the store with tables that are there when a run begins. What the server
// supports of SQL is listed in package simmysql; anything else is answered with an error
// that says so.
//
// "The lease" of scenarios is what the lock keeps: the end that a row has, or the
// connection, which the server ends after its wait_timeout. A lock's records are the rows
// whose primary key is the lock's name, the locks on them, and the named lock of that name. [RowOwnership] says
// in which columns of a row its owner and its end are.
//
// The module examples/mysql is a lock of one's own with its test.
//
// Package builtin has the locks that come with Lockpick, and what is expected of them.
package mysql
