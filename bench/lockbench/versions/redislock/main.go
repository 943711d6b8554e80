// Command redislock is lockbench with bsm/redislock, in the version that it was built with: the bad one by go.mod, the repaired one by good.mod.
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
	l := cell.Lock{ID: "redislock", Summary: "bsm/redislock", Store: redis.Store, Subject: cell.Mutex(newLock)}
	did, err := trial.Main(os.Args[1:], published.Of("versions/redislock", l, real.New), arms.All())
	if err == nil && !did {
		err = fmt.Errorf("it only makes tries for lockbench")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "redislock:", err)
		os.Exit(1)
	}
}
