package redis

import (
	"context"
	"net"
	"runtime"
	"strings"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simredis"
)

// go-redis writes and connects for Pub/Sub with the mutex locked that its Close
// and its Ping want, too. Closing a subscription is no fault while
// go-redis connects anew, or waits out a pause: in a simulation, where virtual time
// does not pass while anybody waits for a mutex, it must not stop the world. So
// nothing of it waits here: what Pub/Sub writes is queued, and the goroutines of
// PubSub.Channel get their connection at once. What they lose is that Close takes
// as long as connecting does.

// dialing says for what go-redis connects.
type dialing int

const (
	forCommands dialing = iota
	forPubSub           // and nobody else has that PubSub, or locks it while this waits
	forChannel          // in a goroutine of PubSub.Channel
)

// noRing says why a ring does not run here.
const noRing = "redis.NewRing is not supported here: a ring lists its shards, and asks whether they are there, in the order of a map, " +
	"so that two runs of one tape differ. Test the lock over one of the shards, by redis.Connect"

// dialed says what go-redis connects in the calling goroutine.
var dialed = sim.OnceForEachStack(dialedAt)

// dialedAt looks for what go-redis connects at a stack.
func dialedAt(stack []uintptr) dialing {
	frames := runtime.CallersFrames(stack)
	found := forCommands
	for {
		frame, more := frames.Next()
		if name, own := strings.CutPrefix(frame.Function, "github.com/redis/go-redis/v9."); own {
			switch {
			case strings.HasPrefix(name, "(*PubSub).conn"):
				found = forPubSub
			case found == forPubSub && strings.HasPrefix(name, "(*channel)."):
				return forChannel
			case strings.HasPrefix(name, "(*Ring)."), strings.HasPrefix(name, "(*ringSharding)."):
				panic(noRing)
			}
		}
		if !more {
			return found
		}
	}
}

// dialFor connects as go-redis's code needs it that asks.
func dialFor(ctx context.Context, network, addr string, dial func(context.Context) (net.Conn, error)) (net.Conn, error) {
	switch dialed() {
	case forChannel:
		return simredis.DialEager(network, addr, dial), nil
	case forPubSub:
		conn, err := dial(ctx)
		if err != nil {
			return nil, err
		}
		return simredis.NewEager(conn), nil
	}
	return dial(ctx)
}
