package sql

import "github.com/lockpick-dev/lockpick/model"

// Database is the data of one server, with the transactions on it. Its [Host] must call
// [Database.Settle] at the end of each event.
type Database struct {
	dialect *Dialect
	host    Host

	tables    map[string]*table      // by their keys
	names     []string               // of these, in the order in which they were created
	queues    map[string]*tableQueue // who uses them, by their keys
	open      []*Txn                 // transactions, in the order in which they began
	awakened  []owner                // whose waits are over
	moved     []*Txn                 // that wait for another transaction than before
	commits   int64                  // so far
	purgeable []*Txn                 // commits that have left old versions behind
	taken     []*entry               // rows that are held exclusively, which was not reported yet
	revision  int64                  // grows with each commit and each lock that is reported
	silent    bool                   // changes of rows are not reported
}

// table is a table with its rows. A server has its own copy of each.
type table struct {
	name      string
	collation Collation
	columns   []*Column
	// indexes are the table's keys. The first is the clustered one, which has the rows.
	indexes []*index
	counter int64 // the last number of the column that counts
	hidden  int64 // the last number of a row, of a table without a primary key
}

// index is a key of a table: records in the order of their keys.
type index struct {
	table   *table
	name    string
	columns []int // their places in the row; empty for the hidden key of rows without a primary key
	unique  bool
	entries []*entry
	// end follows all records. A lock on it is one on the gap before it.
	end *entry
}

// entry is a record of an index.
type entry struct {
	index *index
	// key are the values of the index's columns; in a secondary index those of the
	// primary key follow.
	key []Value
	row *row // nil for the end
	// deleted is the mark of a record that is not to be seen by locking reads. It is
	// removed later.
	deleted bool
	by      *Txn // who inserted or marked it last
	gone    bool // it was removed

	locks  []*lock      // granted and waiting, in their order
	holder *Txn         // who was last observed to hold the row exclusively
	since  int64        // the revision at which that was observed; 0 if it was not yet
	got    model.Origin // the request that got it
}

// row is the clustered record of a row with its versions.
type row struct {
	table  *table
	entry  *entry // in the clustered index
	newest *version
	// created is the revision at which the committed row was created.
	created int64
}

// version is a version of a row.
type version struct {
	values []Value // nil if it is deleted
	by     *Txn
	older  *version
	owner  model.Origin // the request that has written it
	read   model.Stamp  // when the server's clock was read before
}

// mode is the kind of a lock on a record of an index. Without gap and recordOnly it is a
// next-key lock: on the record and on the gap before it.
type mode uint8

const (
	exclusive       mode = 1 << iota // and otherwise shared
	gap                              // the gap before the record alone
	recordOnly                       // the record alone
	insertIntention                  // with gap: to insert into it

	nextKey mode = 0
)

// lock is a transaction's lock on a record, or its place in the queue for one.
type lock struct {
	txn       *Txn
	entry     *entry
	mode      mode
	waiting   bool
	waited    bool
	structure *structure
}

// structure is InnoDB's structure for a transaction's locks of one kind on one page; here each table is one
// page.
type structure struct {
	index *index
	mode  mode
	waits bool
}

// intention is a transaction's intention to lock rows of a table. It blocks nobody, and
// counts as a lock.
type intention struct {
	table *table
	mode  mode
}

// Txn is a transaction.
type Txn struct {
	db       *Database
	owner    owner
	client   Watcher
	level    Isolation
	readOnly bool
	// number is the commit's, from 1; 0 until then.
	number int64
	ended  bool
	// view is the number of the last commit that its snapshot shows; -1 if it has none yet.
	view int64

	undo     []func() // what takes its changes back, the last of them last
	changed  []*row   // in the order of their first changes
	marked   []*entry // for deletion
	inserted []*entry // clustered records that it holds without a lock in the queue
	points   []point
	used     bool        // a statement has read or changed tables
	read     model.Stamp // when its statements so far read the server's clock last

	locks      []*lock
	structures []*structure
	intentions []intention
	waits      *lock // that it waits for
	blocker    *Txn  // and who keeps it from that

	sent bool // it is in the log, and was sent to the replicas
	// many is set if it was begun by a statement, or goes on until one ends it.
	many bool
	by   model.Origin // the request that has committed it
}

// point is a savepoint.
type point struct {
	name string
	undo int
	used bool // the transaction had used tables before
	uses int  // how many tables the session had used
}

// tableUse is a session's use of a table: in MySQL a kind of metadata lock.
type tableUse uint8

const (
	reading  tableUse = 1 << iota // the rows
	writing                       // the rows, or locking them exclusively
	freezing                      // LOCK TABLES ... READ
	owning                        // LOCK TABLES ... WRITE
	defining                      // dropping or emptying the table
)

// claim is a session's use of a table, or its wait for that.
type claim struct {
	user   tableUser
	table  string
	queue  *tableQueue
	use    tableUse
	locked bool         // by LOCK TABLES; otherwise by a statement, for its transaction
	since  int64        // the revision of a lock that is observed
	got    model.Origin // the request that has locked it
}

// tableUser is the session of a claim.
type tableUser interface {
	// waitsFor returns the claim that its statement waits for, or nil.
	waitsFor() *claim
	// left is called when a claim has left the queue of those who wait, took when it is granted, and gave when
	// it is given up.
	left(granted bool)
	took(c *claim)
	gave(c *claim, end *Ending)
	wake()
}

// tableQueue has the claims on a table, granted and waiting, in the order of the
// requests.
type tableQueue struct{ granted, waiting []*claim }
