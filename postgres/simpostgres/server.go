package simpostgres

import (
	"time"

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
	// Synchronous is the n of synchronous_standby_names = 'ANY n (*)': a commit waits until so many standbys have it, as
	// synchronous_commit says. It is 0 by default: replication is asynchronous.
	Synchronous int
}

const (
	// DatabaseName is the name of the only database, and RoleName that of the only role.
	DatabaseName = "postgres"
	RoleName     = "postgres"

	// serverVersion is the version that the servers report.
	serverVersion = "15.14 (Debian 15.14-0+deb12u1)"
	// namePrefix is the prefix of the nodes' names, subnet that of their addresses.
	namePrefix = "postgres"
	subnet     = "10.0.5."
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

	meter func(request string) time.Duration // nil: requests take no time
}
