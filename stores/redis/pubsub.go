package redis

import (
	"context"
	"net"
	"runtime"
	"strings"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simredis"
)

// go-redis holds a mutex while it writes or connects for Pub/Sub, which its Close and
// its Ping need, too. A program may close a subscription while go-redis reconnects, or
// is paused; since virtual time does not pass while a goroutine waits for a mutex, that
// would stop the run. So these calls do not block here: Pub/Sub's writes are queued,
// and the goroutines of PubSub.Channel get their connection at once. The difference
// from reality is that Close does not take as long as connecting.

// dialing is the purpose for which go-redis connects.
type dialing int

const (
	forCommands dialing = iota
	forPubSub           // a PubSub that no other goroutine locks meanwhile
	forChannel          // in a goroutine of PubSub.Channel
)

// noRing is the error of a ring, which does not run here.
const noRing = "redis.NewRing is not supported here: a ring lists its shards, and asks whether they are there, in the order of a map, " +
	"so that two runs of one tape differ. Test the lock over one of the shards, by redis.Connect"

// dialed returns the purpose for which go-redis connects in the calling goroutine.
var dialed = sim.OnceForEachStack(dialedAt)

// dialedAt returns the purpose by the stack.
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

// dialFor connects in the way that the calling code of go-redis needs.
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
