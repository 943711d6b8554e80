// Package published describes the bugs of two versions of a library. The programs in versions have the locks: a program can have one
// version of a module only.
package published

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/lockpick-dev/lockpick/bench/lockbench/arms"
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/confirm"
)

// Bugs returns the bugs of all programs.
func Bugs() []trial.Bug {
	return []trial.Bug{
		{
			ID: "redis-redislock-orphan", Module: "versions/redislock", Property: checker.NoOrphan, Shows: refused,
			About: "SET NX is executed, its answer is lost, go-redis repeats it: \"not obtained\", though its own token holds the key.",
			From:  "bsm/redislock v0.9.3, repaired in v0.9.4",
		},
		{
			ID: "redis-redsync-unlock", Module: "versions/redsync", Property: checker.TruthfulRelease,
			About: "Unlock answers true for a lock that is lost: an int64 in an interface is compared with a constant of another type.",
			From:  "go-redsync/redsync v4.0.3, repaired in v4.0.4",
		},
		{
			ID: "redis-redsync-extend", Module: "versions/redsync", Property: checker.TruthfulExtend, Shows: nothingExtended,
			About: "Extend answers true for a lock that is lost, as Unlock does.",
			From:  "go-redsync/redsync v4.0.3, repaired in v4.0.4",
		},
		{
			ID: "mysql-gomysqllock-pool", Module: "versions/gomysqllock", Property: checker.Progress,
			About: "A try that fails keeps its connection, until the pool has no more.",
			From:  "sanketplus/go-mysql-lock v0.0.6, repaired in v0.0.7",
		},
	}
}

// refused reports whether one of the operations that decide a verdict was refused: without that it is the orphan of a cancelled
// call, which the repaired version has as well.
func refused(h *model.History, v *model.Verdict) bool {
	for _, id := range v.Operations {
		if op := h.Operation(id); op != nil && op.Kind == model.Acquire && op.Result == model.Failed && !op.Cancelled.Happened() {
			return true
		}
	}
	return false
}

// nothingExtended reports whether an Extend that reported success has changed nothing on any server. The repaired version only
// overlooks that its lease had ended before or during the call, on some servers or on all.
func nothingExtended(h *model.History, v *model.Verdict) bool {
	return slices.ContainsFunc(v.Operations, func(id int) bool {
		op := h.Operation(id)
		return op != nil && op.Kind == model.Extend && op.Result == model.OK && !slices.ContainsFunc(h.Observations, func(o model.Observation) bool {
			return o.Kind == model.RecordChanged && o.By.Client == op.Client && o.Seq > op.Call.Seq && o.Seq < op.Return.Seq
		})
	})
}

// Main makes a try for lockbench, as the program of versions that the lock is called after. The program has one version of the library.
func Main(l cell.Lock, real func(confirm.Setup) confirm.Store) {
	var list []*trial.Bug
	for _, b := range Bugs() {
		if b.Module == "versions/"+l.ID {
			b.Module, b.Bad, b.Good, b.Real = "", l, l, real
			list = append(list, &b)
		}
	}
	did, err := trial.Main(os.Args[1:], list, arms.All())
	if err == nil && !did {
		err = errors.New("it only makes tries for lockbench")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, l.ID+":", err)
		os.Exit(1)
	}
}
