package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onRedis(trial.Bug{
		ID: "redis-no-fence", Property: checker.NoLostUpdate, Limit: true,
		About: "No fencing token: the primary fails over without the key, two clients hold the lock, and an update is lost.",
		From:  "Kleppmann, \"How to do distributed locking\"",
	}, "setpx", "setpx-fenced-elsewhere")
}
