// Command redsync is lockbench with go-redsync/redsync, in the version that it was built with: the bad one by go.mod, the repaired one by good.mod.
package main

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/bugs/published"
	"github.com/lockpick-dev/lockpick/cell"
	adapter "github.com/lockpick-dev/lockpick/examples/trackrecord/redsync-v4.0.3"
	real "github.com/lockpick-dev/lockpick/real/redis"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

func main() {
	published.Main(cell.Lock{ID: "redsync", Summary: "go-redsync/redsync", Store: redis.Store, Subject: cell.Mutex(adapter.NewLock)}, real.New)
}
