package store

import (
	"github.com/lockpick-dev/lockpick/postgres/simpgbouncer"
	"github.com/lockpick-dev/lockpick/postgres/simpostgres"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Pooler is the name of the setting that puts a PgBouncer before the server: none, or one with a pool_mode.
// PoolerConnections is the name of the setting of its default_pool_size, and SynchronousCommit that of the setting of the
// same name.
const (
	Pooler            = "pooler"
	PoolerConnections = "pooler-connections"
	SynchronousCommit = "synchronous-commit"
)

// The values of [Pooler].
const (
	SessionPooling = 1 + iota
	TransactionPooling
	StatementPooling
)

// pooling is the setting of the pooler.
var pooling = stage.Setting{
	Name: Pooler, Max: len(poolModes) - 1, Rare: true, Fixed: true, Names: poolModes,
	About: "a PgBouncer between clients and the server, by pool_mode",
}

var poolModes = []string{"none", string(simpgbouncer.Session), string(simpgbouncer.Transaction), string(simpgbouncer.Statement)}

// poolerSize is the setting of the size of the pooler's pool.
var poolerSize = stage.Setting{
	Name: PoolerConnections, Max: 64, Rare: true, Fixed: true,
	About: "connections that the pooler may have to the server, default_pool_size (0: PgBouncer's default, 20)",
	Needs: func(p stage.Params) string {
		if p.Own.Of(Pooler) == 0 {
			return "needs a pooler: set pooler"
		}
		return ""
	},
}

// commit is the setting synchronous_commit. With on and remote_apply, commits wait for one of the replicas
// (synchronous_standby_names = 'ANY 1 (*)'), for as long as it takes.
var commit = stage.Setting{
	Name: SynchronousCommit, Max: len(commits) - 1, Rare: true, Fixed: true, Names: commits,
	About: "what a commit waits for: the server's own disk, nothing, or a replica that has written or applied it",
	Needs: func(p stage.Params) string {
		if waits(p) && p.Followers == 0 {
			return "needs a {follower}: set replicas"
		}
		return ""
	},
}

var commits = []string{"local", "off", "on", "remote_apply"}

// waits reports whether commits wait for a replica.
func waits(p stage.Params) bool { return p.Own.Of(SynchronousCommit) >= 2 }

// Shape returns the settings of PostgreSQL: the number of replicas, the pooler, whether commits wait for
// replicas, and the number of a client's connections.
func (*store) Shape() []stage.Setting {
	return []stage.Setting{
		{Name: "replicas", Max: 8, About: "replicas of the server", Field: func(p *stage.Params) *int { return &p.Followers }},
		{Name: stage.PoolSize, Max: 16, About: "connections that the pool of a client may have (0: any number, or a library's own limit)", Rare: true},
		pooling, poolerSize, commit,
	}
}

// options returns the options of the server.
func options(p stage.Params) simpostgres.Options {
	o := simpostgres.Options{Replicas: p.Followers, SynchronousCommit: commits[commit.Of(p)]}
	if waits(p) {
		o.Synchronous = 1
	}
	return o
}
