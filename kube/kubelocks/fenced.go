package kubelocks

import (
	"context"
	"net/http"

	"github.com/lockpick-dev/lockpick/kube/kubelocks/internal/recipe"
	"github.com/lockpick-dev/lockpick/lock"
)

// FencedLease is [Lease] with a fencing token ([lock.Fenced]): leaseTransitions, which each acquisition raises.
//
// Guarantee: as [Lease]; besides, a resource that checks the token refuses the access of a holder whose lease has ended
// once it has seen a later one. What breaks it: as [Lease], for a resource that does not check, and a deletion of the
// object, which resets the number.
//
// Requests: as [Lease].
type FencedLease struct{ client *recipe.Client }

// NewFencedLease returns a locker for the Lease of a name, at the API server of a URL. It is safe for concurrent use.
func NewFencedLease(client *http.Client, url, namespace, name string, o Options) *FencedLease {
	return &FencedLease{recipe.New(client, url, namespace, name, recipe.Options(o))}
}

// Acquire waits for the lock until ctx is done.
func (l *FencedLease) Acquire(ctx context.Context) (lock.Lease, error) {
	h, err := l.client.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	return fencedHold{h}, nil
}

// fencedHold is a hold with a token.
type fencedHold struct{ *recipe.Hold }

// Token returns the number of transitions of the Lease.
func (h fencedHold) Token() int64 { return h.Transitions() }
