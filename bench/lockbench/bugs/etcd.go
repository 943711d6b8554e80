package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/etcd/builtin"
	"github.com/lockpick-dev/lockpick/etcd/clientlocks"
	"github.com/lockpick-dev/lockpick/etcd/real"
	"github.com/lockpick-dev/lockpick/model"
)

// queue is the view of etcd's own locks: the key that was created first has it.
var queue = cell.Reading{Ownership: model.SequenceOwnership{Prefix: "/" + cell.LockName + "/", ByRevision: true}}

// inEtcdProgram adds a bug of a lock of etcd's client library, in a program that uses it so. The repaired lock is Lockpick's own:
// what a program can do about one bug leaves others of the same property.
func inEtcdProgram(b trial.Bug, bad clientlocks.Use) {
	b.Bad = cell.Lock{ID: b.ID, Summary: b.About, Store: etcd.Store, Subject: cell.Mutex(bad.New), Reading: queue, Renews: true}
	b.Good, b.Real = named(builtin.Locks(), "etcd"), real.New
	add(b)
}

// onEtcd adds a bug of a lock over etcd that Lockpick has, by the IDs of the bad lock and the good one.
func onEtcd(b trial.Bug, bad, good string) {
	b.Bad, b.Good, b.Real = named(builtin.Locks(), bad), named(builtin.Locks(), good), real.New
	add(b)
}
