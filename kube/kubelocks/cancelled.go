package kubelocks

import (
	"context"
	"net/http"

	"github.com/lockpick-dev/lockpick/kube/kubelocks/internal/recipe"
	"github.com/lockpick-dev/lockpick/lock"
)

// CancelledLease is [Lease] with one difference: an Acquire whose context ends when a request was not answered looks
// in the background whether that request has taken the Lease, for as long as a lease lasts, and releases it then. The
// ReleaseOnCancel of client-go is named so, too.
//
// Guarantee and what breaks it: as [Lease]. Others wait less for a Lease that nobody uses.
//
// Requests: as [Lease], and after such an end one for each pause.
type CancelledLease struct{ client *recipe.Client }

// NewCancelledLease returns a locker for the Lease of a name, at the API server of a URL. It is safe for concurrent
// use.
func NewCancelledLease(client *http.Client, url, namespace, name string, o Options) *CancelledLease {
	return &CancelledLease{recipe.New(client, url, namespace, name, recipe.Options(o))}
}

// Acquire waits for the lock until ctx is done.
func (l *CancelledLease) Acquire(ctx context.Context) (lock.Lease, error) {
	h, err := l.client.Acquire(ctx)
	if err != nil {
		h.Leave()
	}
	return acquired(h, err)
}
