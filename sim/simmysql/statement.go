package simmysql

// statement is one that a client has sent, read.
type statement interface {
	// run carries it out. If it has to wait, the error is errWait, and it is run
	// again later; the execution has what it has done so far.
	run(x *execution) (*result, error)
}

// locking is what a SELECT locks.
type locking uint8

const (
	lockNothing locking = iota
	lockShared
	lockExclusive
)

// patience is how long a statement waits for a lock.
type patience struct {
	kind    patienceKind
	seconds int
}

type patienceKind uint8

const (
	asUsual    patienceKind = iota // innodb_lock_wait_timeout
	noWait                         // NOWAIT
	skipLocked                     // SKIP LOCKED
	waitFor                        // WAIT n
)

type (
	item struct {
		expr  expr
		name  string
		isAll bool // *
	}
	ordering struct {
		expr expr
		down bool
	}
	limit struct {
		count, offset expr
	}
	assignment struct {
		column string
		expr   expr // nil for DEFAULT
	}
)

// Statements on tables.
type (
	selection struct {
		items    []item
		table    string // empty if it is from none
		where    expr
		order    []ordering
		limit    *limit
		locking  locking
		patience patience
	}
	insertion struct {
		table       string
		ignore      bool
		columns     []string
		rows        [][]expr // nil expressions for DEFAULT
		onDuplicate []assignment
	}
	updating struct {
		table string
		set   []assignment
		where expr
		order []ordering
		limit *limit
	}
	deletion struct {
		table string
		where expr
		order []ordering
		limit *limit
	}
	createTable struct {
		name        string
		ifNotExists bool
		table       *table
		err         error // what is wrong with the definition
	}
	dropTable struct {
		names    []string
		ifExists bool
	}
	truncateTable struct{ name string }
)

// Statements on transactions and sessions.
type (
	begin struct {
		snapshot, readOnly bool
	}
	commit    struct{}
	rollback  struct{ to string } // a savepoint; empty for all
	savepoint struct {
		name    string
		release bool
	}
	set struct {
		// variables are set one after the other; an isolation level is one of them.
		variables []assignment
		// nextOnly is SET TRANSACTION: for the next transaction.
		nextOnly bool
	}
	do   struct{ exprs []expr }
	kill struct {
		id    expr
		query bool
	}
	use  struct{ database string }
	show struct {
		what, like string
		global     bool // what new sessions begin with
	}
)
