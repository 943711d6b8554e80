package mysql

import (
	"github.com/go-sql-driver/mysql"

	"github.com/lockpick-dev/lockpick/mysql/store"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Store is MySQL without tables: a primary with replicas to which it replicates
// asynchronously, or semi-synchronously with the parameter semi-sync.
var Store = Schema()

// Schema returns [Store] with tables: all nodes execute the statements, such as CREATE TABLE and
// INSERT, before each run begins. A statement that fails ends every run with its error.
func Schema(statements ...string) stage.Store {
	return store.New(mysql.NewConfig, statements...)
}

// RowKey returns the key of the record that shows a row, by its table and its primary
// key. The record has the row's columns, each followed by its value.
func RowKey(table string, primaryKey ...string) string { return store.RowKey(table, primaryKey...) }

// RowLockKey returns the key of the record that shows which connection has locked a row
// exclusively. The record's session is the connection.
func RowLockKey(table string, primaryKey ...string) string {
	return store.RowLockKey(table, primaryKey...)
}

// TableLockKey returns the key of the record that shows which connection has locked a table by LOCK
// TABLES ... WRITE.
func TableLockKey(table string) string { return store.TableLockKey(table) }

// NamedLockKey returns the key of the record that shows which connection has the named
// lock.
func NamedLockKey(name string) string { return store.NamedLockKey(name) }

func init() { stage.Link("mysql.Schema(...)", "github.com/lockpick-dev/lockpick/mysql") }
