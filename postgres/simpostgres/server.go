package simpostgres

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/failover"
)

// Options describe a cluster.
type Options struct {
	// Replicas is the number of standbys at the start.
	Replicas int
	// SynchronousCommit is the server's setting of that name: "on", which is the default, "off", "local",
	// "remote_write" or "remote_apply". Sessions may set their own.
	SynchronousCommit string
	// Synchronous is the n of synchronous_standby_names = 'ANY n (*)': a commit waits until n standbys have it, as
	// synchronous_commit says. It is 0 by default: replication is asynchronous.
	Synchronous int
	// Database and Role are the names of the only database and of the only role, which is a superuser. Both are "postgres" by
	// default.
	Database, Role string
}

const (
	// DatabaseName is the name of the only database, unless Options give another.
	DatabaseName = "postgres"
	// RoleName is the name of the only role, unless Options give another.
	RoleName = "postgres"

	// serverVersion is the version that the servers report.
	serverVersion = "15.18 (Debian 15.18-0+deb12u1)"
	// namePrefix is the prefix of the nodes' names, subnet that of their addresses.
	namePrefix = "postgres"
	subnet     = "10.0.5."
	// firstPID is the process id of a node's first session.
	firstPID = 101
)

// servers are the servers of a cluster, and part is one of them.
type (
	servers = failover.Cluster[*Node]
	part    = failover.Node[*Node]
)

// Cluster is one primary with its standbys, and a stable Address that leads to the present Primary.
// Its Nodes are in the order of their names. Only the conductor may use it.
type Cluster struct {
	*servers
	world   *sim.World
	options Options
	initial map[string]string // values of parameters
	parsed  map[string]parsed // statements by their texts
	workers []*worker         // that have nothing to do
}

// Node is one server: an actor, a clock, a database, and the sessions of its clients. It has an Address of
// its own. IsPrimary reports whether it takes itself for a primary, and Lag how many records of its
// source's log a standby does not have yet. It is Down from a crash until it comes back. Only the conductor
// may use it.
type Node struct {
	*part
	cluster *Cluster
	world   *sim.World
	clock   *sim.Timepiece
	jumped  int64 // the event by which it jumped last
	data    *storage.Database

	conns    []*conn
	sessions []*session // in the order of their logins
	lastPID  int32
	rested   []*session // that slept, and go on at the end of the event
	random   uint64     // the last random number

	unsent      []effect // commits of synchronous_commit = off, which are not on the disk yet
	flushes     *timer   // writes them
	waitsForAck []ackWait

	meter func(request string) time.Duration // nil: requests take no time
}

// conn is a client's connection to a server.
type conn struct {
	node    *Node
	link    Transport
	in, out []byte
	task    *sim.Task    // of what came last
	origin  model.Origin // of what came last
	closed  bool         // by the server
	gone    bool         // by the client, or lost
	session *session     // nil until the client has logged in
	reports bool         // what was sent last reports a commit
	urgent  bool         // what is to be sent has an error or a notice, which waits for no flush
}

// timer calls a function after some time, unless it is stopped before. It does not fire while
// the server hangs: what arrives in that time may still stop it.
type timer struct {
	cancel func()
	over   bool // it has fired, or was stopped
}

// effect is what a commit did.
type effect struct {
	changes  *storage.Changes
	by       model.Origin
	position int64
}

// ackWait is a commit that waits for standbys.
type ackWait struct {
	session *session
	effect  effect
}
