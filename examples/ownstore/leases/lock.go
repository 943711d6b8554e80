package leases

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock"
)

// Lock is a lock that is a lease. It is safe for concurrent use.
type Lock struct {
	Client      *Client
	Name, Owner string        // of the lock, and of the client
	TTL         time.Duration // of a lease
	Clock       clockwork.Clock
	Blind       bool // Release gives the lock up whoever has it

	tries atomic.Int64
}

// pause is the time between two tries.
const pause = 100 * time.Millisecond

// Acquire tries until it has the lock. Each try is a holder of its own, so that a late FREE of one does not
// end the lease of another.
func (l *Lock) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		holder := fmt.Sprintf("%s-%d", l.Owner, l.tries.Add(1))
		until := l.Clock.Now().Add(l.TTL) // before it asks: the server's lease ends later
		answer, err := l.Client.Do(ctx, fmt.Sprintf("%s %s %s %d", Take, l.Name, holder, l.TTL.Milliseconds()))
		number, granted := strings.CutPrefix(answer, "OK ")
		token, _ := strconv.ParseInt(number, 10, 64)
		if granted && l.Clock.Now().Before(until) {
			return &lease{l, holder, token, until}, nil
		}
		if granted || err != nil && !errors.Is(err, ErrNoLeader) {
			_, _ = l.Client.Do(context.WithoutCancel(ctx), Free+" "+l.Name+" "+holder) // otherwise it ends by itself
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-l.Clock.After(pause):
		}
	}
}

// lease is an acquisition of a [Lock].
type lease struct {
	*Lock
	holder string
	token  int64
	until  time.Time
}

// Until is the end of the lease by the client's clock, or earlier.
func (l *lease) Until() time.Time { return l.until }

// Token grows with each acquisition.
func (l *lease) Token() int64 { return l.token }

// Release gives the lock up.
func (l *lease) Release(ctx context.Context) error {
	request := Free + " " + l.Name + " " + l.holder
	if l.Blind {
		request = Drop + " " + l.Name
	}
	answer, err := l.Client.Do(ctx, request)
	if err == nil && answer != "OK" {
		err = lock.ErrNotHeld
	}
	return err
}
