// Package flawed has locks over MySQL and MariaDB that are not for production: each has a flaw that is
// widely copied, and is here to be found. They are written as carefully as those of package sqllocks, take
// the same options, and use its tables ([sqllocks.Create]). The comment of each says what the flaw is, and
// which scenario and property of Lockpick show it.
//
//   - [Pooled]: a named lock through a pool of connections. [sqllocks.Named] is the sound one.
//   - [ValueLease]: a lease that is compared by a value that comes back. [sqllocks.Lease] is the sound one.
//   - [PrintedStock]: a widely read listing. [sqllocks.OptimisticStock] is the sound one.
//   - [NotedRow]: a row lock whose holder needs a second connection. [sqllocks.Row] is the sound one.
//   - [RetriedRow]: a row lock that repeats a statement after a deadlock, and not its transaction.
//   - [AutocommitRow]: a row lock with autocommit left on.
package flawed
