package kubelocks

import (
	"context"
	"net/http"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/kube/kubelocks/internal/recipe"
	"github.com/lockpick-dev/lockpick/lock"
)

// Options are the common options of the locks of this package and of package flawed.
type Options struct {
	// TTL is leaseDurationSeconds, rounded up to whole seconds (default 15 s).
	TTL time.Duration
	// Retry is the pause between two looks at a Lease that another has (default two fifteenths of TTL).
	Retry time.Duration
	// Identity is the beginning of the holders' names, such as a host's name (default "lock"). Each acquisition
	// adds a random part.
	Identity string
	// Clock measures leases, patience and pauses; nil means the real one.
	Clock clockwork.Clock
}

// Lease is a Lease with the name of the lock. A client creates it, or takes it if nobody has it, or if it has not
// changed for leaseDurationSeconds since this client saw the change. The holder renews it each third of that. Every
// write has the resourceVersion that the client has seen, so one of two is refused.
//
// Guarantee: mutual exclusion, if clocks run at nearly the same rate. A claim rests on the time at which the last
// request was sent that was answered; others count from when they see its effect, which is later. No clock is compared
// with another's. The claim ends by the client's own clock ([lock.Expirer], [lock.Notifier]).
//
// What breaks it: a holder that is stopped, or late, between its last look and an access (gc-pause: overrun), and a
// slow or a fast clock (clock-skew).
//
// Requests: two to acquire a free lock, one to release it, and a renewal each third of the time to live. A waiter
// makes one after each pause, so it learns of a release up to [Options].Retry later, and of the end of a holder
// that long after its lease. An Acquire whose context ends may leave a Lease that others must wait for; see
// [CancelledLease].
type Lease struct{ client *recipe.Client }

// NewLease returns a locker for the Lease of a name, at the API server of a URL. It is safe for concurrent use.
func NewLease(client *http.Client, url, namespace, name string, o Options) *Lease {
	return &Lease{recipe.New(client, url, namespace, name, recipe.Options(o))}
}

// Acquire waits for the lock until ctx is done.
func (l *Lease) Acquire(ctx context.Context) (lock.Lease, error) {
	return acquired(l.client.Acquire(ctx))
}

// acquired returns a hold, or an error and nothing.
func acquired(h *recipe.Hold, err error) (lock.Lease, error) {
	if err != nil {
		return nil, err
	}
	return h, nil
}
