// Command simrun is simrun with a lock, a scenario and a property of our own.
package main

import (
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/simrun"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

func main() {
	simrun.Main(
		simrun.Locks(cell.Lock{ID: "mine", Summary: "SET NX, and DEL without a look at the owner", Store: redisstore.Store, Subject: cell.Mutex(newLock)}),
		simrun.Scenarios(liveMigration),
		simrun.Properties(guardedWrites),
	)
}
