package store

import "github.com/lockpick-dev/lockpick/mysql/simmysql"

// RowKey returns the key of the record that shows a row, by its table and its primary
// key. The record has the row's columns, each followed by its value.
func RowKey(table string, primaryKey ...string) string { return simmysql.RowKey(table, primaryKey...) }

// RowLockKey returns the key of the record that shows which connection has locked a row
// exclusively. The record's session is the connection.
func RowLockKey(table string, primaryKey ...string) string {
	return simmysql.RowLockKey(table, primaryKey...)
}

// TableLockKey returns the key of the record that shows which connection has locked a table by LOCK TABLES
// ... WRITE.
func TableLockKey(table string) string { return simmysql.TableLockKey(table) }

// NamedLockKey returns the key of the record that shows which connection has the named
// lock.
func NamedLockKey(name string) string { return simmysql.NamedLockKey(name) }
