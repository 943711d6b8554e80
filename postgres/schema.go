package postgres

import (
	"github.com/jackc/pgx/v5"
	"github.com/lib/pq"

	"github.com/lockpick-dev/lockpick/postgres/store"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Store is PostgreSQL without tables: a primary with replicas to which it streams its log.
var Store = Schema()

// Schema returns [Store] with tables: all nodes execute the statements, such as CREATE TABLE and INSERT,
// before each run begins. A statement that fails ends every run with its error.
func Schema(statements ...string) stage.Store {
	return store.New(store.Drivers{"github.com/jackc/pgx/v5": pgx.ParseConfig, "github.com/lib/pq": pq.NewConfig}, statements...)
}

// The settings of a pooler, for a lock that needs one ([cell.Needs]): the value of Pooler is one of the modes,
// and that of PoolerConnections its default_pool_size.
const (
	Pooler             = store.Pooler
	PoolerConnections  = store.PoolerConnections
	SessionPooling     = store.SessionPooling
	TransactionPooling = store.TransactionPooling
	StatementPooling   = store.StatementPooling
)

// RowKey returns the key of the record that shows a row, by its table and its primary key. The record has the
// row's columns, each followed by its value.
func RowKey(table string, primaryKey ...string) string { return store.RowKey(table, primaryKey...) }

// RowLockKey returns the key of the record that shows which session has locked a row exclusively: FOR UPDATE,
// FOR NO KEY UPDATE, or by a change. The record's session is that of the server.
func RowLockKey(table string, primaryKey ...string) string {
	return store.RowLockKey(table, primaryKey...)
}

// TableLockKey returns the key of the record that shows which session has locked a table by LOCK TABLE in one
// of the modes EXCLUSIVE and ACCESS EXCLUSIVE.
func TableLockKey(table string) string { return store.TableLockKey(table) }

// AdvisoryKey returns the key of the record that shows which session has the exclusive advisory lock of a key:
// one number, which is a bigint, or two, which are integers.
func AdvisoryKey(key ...int64) string { return store.AdvisoryKey(key...) }

func init() { stage.Link("postgres.Schema(...)", "github.com/lockpick-dev/lockpick/postgres") }
