package flawed

import (
	"context"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// Untagged is [redislocks.Reentrant] whose script for the release is given the channel as a key, by a name that has not the
// hash tag of the lock's, as in Redisson before 3.5.5 (redisson#1098). It is flawed.
//
// Guarantee: that of Reentrant on a single server.
//
// What breaks it: in a Redis Cluster the key and the channel are in two slots, and no node executes a script with both
// (CROSSSLOT). A release has no effect, and the others wait until the lease ends (scenario contention, property
// no-orphan). [redislocks.Reentrant] names the channel as an argument; where it has other keys
// beside the lock's, as [redislocks.Fair] has, these have its hash tag.
//
// Commands: those of Reentrant. Defaults: a lease of 30 s.
type Untagged struct{ *redislocks.Reentrant }

// NewUntagged returns a locker for the lock of the given name, which is the key. It keeps a connection while a caller waits;
// Close ends that. It is safe for concurrent use.
func NewUntagged(client subscribing, name string, options redislocks.Options) *Untagged {
	return &Untagged{redislocks.NewReentrant(channelled{client, "redisson_lock__channel:" + name}, name, options)}
}

// channelled is a client that gives a channel as a key to the script for the release.
type channelled struct {
	subscribing
	channel string
}

func (c channelled) keys(hash string, keys []string) []string {
	if hash == scripts.ReentrantRelease.Hash() {
		keys = append(slices.Clip(keys), c.channel)
	}
	return keys
}

// Eval runs a script.
func (c channelled) Eval(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd {
	return c.subscribing.Eval(ctx, script, c.keys(redis.NewScript(script).Hash(), keys), args...)
}

// EvalSha runs a script that the server knows.
func (c channelled) EvalSha(ctx context.Context, hash string, keys []string, args ...any) *redis.Cmd {
	return c.subscribing.EvalSha(ctx, hash, c.keys(hash, keys), args...)
}
