package scenarios_test

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// Every scenario, with a lock, is a cell to search. Some do not apply to every store.
func ExampleRegistry() {
	known := scenarios.Registry(builtin.Locks())
	for _, id := range []string{"gc-pause", "session-expiry"} {
		c, err := known.Cell(id, "setpx", nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %s\n", id, c.Summary())
		if lacks := c.Lacks(); lacks != "" {
			fmt.Println("does not apply:", lacks)
		}
	}
	// Output:
	// gc-pause: a client process stops for a while, perhaps for longer than its lease lasts
	// session-expiry: a client is cut off from Redis for longer than its session: while it holds the lock, waits, or asks for it
	// does not apply: no key in Redis lives with a session
}
