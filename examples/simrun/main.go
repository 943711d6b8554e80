// Command simrun is simrun with a lock of our own.
package main

import (
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/simrun"
)

func main() {
	simrun.Main(simrun.Locks(
		scenarios.Lock{ID: "mine", Summary: "SET NX, and DEL without a look at the owner", New: newLock},
	))
}
