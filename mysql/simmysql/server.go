package simmysql

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/mysql/sql"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/failover"
)

// Options describe a cluster.
type Options struct {
	// Replicas is the number of replicas at the start.
	Replicas int
	// SemiSync makes a commit wait until a replica has it, or SemiSyncTimeout is over: after
	// that no commit waits, until a replica has caught up. A transaction that waits keeps its
	// locks, and nobody sees its changes (rpl_semi_sync_master_wait_point=AFTER_SYNC).
	SemiSync        bool
	SemiSyncTimeout time.Duration // default 10 s
}

const (
	// databaseName is the name of the only database.
	databaseName = "test"
	// serverVersion is the version that the servers report.
	serverVersion = "10.11.19-MariaDB"
	// The defaults of rpl_semi_sync_master_timeout, innodb_lock_wait_timeout, lock_wait_timeout and wait_timeout.
	defaultSemiSyncTimeout = 10 * time.Second
	defaultLockWait        = 50 * time.Second
	defaultTableWait       = 24 * time.Hour
	defaultIdle            = 8 * time.Hour
	// namePrefix is the prefix of the nodes' names, subnet that of their addresses.
	namePrefix = "mysql"
	subnet     = "10.0.3."
)

// servers are the servers of a cluster, and part is one of them.
type (
	servers = failover.Cluster[*Node]
	part    = failover.Node[*Node]
)

// Cluster is one primary with its replicas, and a stable Address that leads to the present Primary.
// Its Nodes are in the order of their names. Only the conductor may use it.
type Cluster struct {
	*servers
	world   *sim.World
	options Options
	parsed  map[string]sql.Parsed // statements by their texts: who waits sends the same again and again
}

// Node is one server: an actor, a clock, tables, and the sessions of its clients. It has an Address of
// its own. IsPrimary reports whether it takes itself for a primary, and Lag how many commits of its
// source a replica does not have yet. It is Down from a crash until it comes back. Only the conductor
// may use it.
type Node struct {
	*part
	cluster *Cluster
	world   *sim.World
	clock   *sim.Timepiece
	jumped  int64 // the event by which it jumped last
	data    *sql.Database

	locks map[string]*namedLock

	conns    []*conn
	sessions []*session // in the order of their logins
	recovers []*sql.Txn // whose sessions have ended while they waited for a replica

	fallenBack  bool // it does not wait for replicas any more
	waitsForAck []ackWait

	meter func(request string) time.Duration // nil: requests take no time
}

// readOnly reports whether clients may not write: replicas are read-only.
func (n *Node) readOnly() bool { return !n.IsPrimary() }

// do calls f now, or, if the server hangs, when it resumes.
func (n *Node) do(f func()) { n.Do(f) }

// conn is a client's connection to a server.
type conn struct {
	node     *Node
	sock     *sim.ServerConn
	in       []byte
	task     *sim.Task // of what came last
	sequence byte      // of the next packet to the client
	closed   bool      // by the server
	gone     bool      // by the client, or lost
	session  *session  // nil until the client has logged in
	prepared []*prepared
	text     string // of the present statement
	nextID   uint32 // of the next prepared statement
	reports  bool   // what was sent last reports a commit
}

// session is a client's connection as the server sees it: its variables, its transaction, its locks,
// and the statement that is executed.
type session struct {
	*sql.Session
	node *Node
	id   int64 // of the connection
	conn *conn // nil for the server's own
	user string

	idle     time.Duration // wait_timeout
	named    []*namedLock  // that it has, in the order in which it got them
	rowCount int64

	request request     // the last one
	idling  *timer      // ends the session; nil while it does something
	waited  bool        // the statement was not answered at once
	killed  *sql.Ending // by itself: it ends when that is answered
	awaits  string      // the key of the record that it waits for
	closed  bool
	loads   bool  // it fills the server before the run
	outcome error // of the last statement, without a client
}

// sessionOf returns the session that has sent a statement.
func sessionOf(x *sql.Execution) *session { return x.Session().Client().(*session) }

// request is what the server itself knows about a statement that is executed.
type request struct {
	binary      bool // the client has prepared it, and wants rows in binary
	task        *sim.Task
	named       *namedWait // its place in the queue for a named lock
	slept       bool       // it has begun to sleep
	looks       *timer     // when it finds that its client is gone; nil as long as the client is there
	interrupted bool       // by KILL QUERY
}

// prepared is a statement that the client has prepared.
type prepared struct {
	id   uint32
	text string
	sql.Parsed
	types []byte         // of its parameters, two bytes each, from the last execution that said them
	long  map[int][]byte // parameters that were sent before the next execution
}

// timer calls a function after some time, unless it is stopped before. It does not fire while
// the server hangs: what arrives in that time may still stop it.
type timer struct {
	cancel func()
	over   bool // it has fired, or was stopped
}

// namedLock is a lock of GET_LOCK.
type namedLock struct {
	name  string
	owner *session
	count int // how often its owner has got it and not given it back
	queue []*namedWait
	since int64 // the revision at which its owner got it
	got   model.Origin
}

// namedWait is a session's place in the queue for a named lock.
type namedWait struct {
	lock    *namedLock
	session *session
	got     bool
}

// effect is what a commit did: to rows, or to the tables themselves.
type effect struct {
	define *sql.Definition // nil if it has changed rows
	images []sql.Image
	by     model.Origin // of the commit
}

// ackWait is a commit that waits for a replica.
type ackWait struct {
	session  *session
	txn      *sql.Txn
	position int64
}
