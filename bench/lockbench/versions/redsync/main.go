// Command redsync is lockbench with go-redsync/redsync, in the version that it was built with: the bad one by go.mod, the repaired one by good.mod.
package main

import (
	"fmt"
	"os"

	"github.com/lockpick-dev/lockpick/bench/lockbench/arms"
	"github.com/lockpick-dev/lockpick/bench/lockbench/bugs/published"
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/cell"
	real "github.com/lockpick-dev/lockpick/real/redis"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

func main() {
	l := cell.Lock{ID: "redsync", Summary: "go-redsync/redsync", Store: redis.Store, Subject: cell.Mutex(newLock)}
	did, err := trial.Main(os.Args[1:], published.Of("versions/redsync", l, real.New), arms.All())
	if err == nil && !did {
		err = fmt.Errorf("it only makes tries for lockbench")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "redsync:", err)
		os.Exit(1)
	}
}
