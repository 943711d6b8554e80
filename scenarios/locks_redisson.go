package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/model"
)

// Epoch is what the clocks of a run show at its beginning, if they are right.
var Epoch = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// beside is a key that a lock of a run keeps beside the one of its own name.
func beside(what string) string { return "{" + lockName + "}:" + what }

// sharedLocks are those that several may have at once.
var sharedLocks = []Lock{
	{
		ID: "readwrite", Summary: "many readers or one writer, in a hash, re-entrant",
		Spec:      model.Spec{Kind: model.KindReadWrite},
		Ownership: model.SortedSetOwnership{Key: beside("ends"), Start: Epoch, Writers: "w:", Readers: "r:"},
		Make: func(c *Client) any {
			return redislocks.NewReadWrite(connect(c), c.LockName(), lockOptions(c))
		},
	},
	{
		ID: "semaphore", Summary: "permits without leases, several at once",
		Spec:      model.Spec{Kind: model.KindSemaphore, Permits: 2},
		Ownership: model.HashOwnership{Key: lockName, Besides: []string{"used"}},
		Make: func(c *Client) any {
			return redislocks.NewSemaphore(connect(c), c.LockName(), int(c.Spec().Permits), lockOptions(c))
		},
	},
	{
		ID: "permit-semaphore", Summary: "permits with a name and a lease each",
		Spec:      model.Spec{Kind: model.KindPermitSemaphore},
		Ownership: model.SortedSetOwnership{Key: lockName, Start: Epoch},
		Make: func(c *Client) any {
			return redislocks.NewPermitSemaphore(connect(c), c.LockName(), int(c.Spec().Permits), lockOptions(c))
		},
	},
}
