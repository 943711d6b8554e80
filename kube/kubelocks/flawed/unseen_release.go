package flawed

import (
	"context"
	"net/http"

	"github.com/lockpick-dev/lockpick/kube/kubelocks"
	"github.com/lockpick-dev/lockpick/kube/kubelocks/internal/recipe"
	"github.com/lockpick-dev/lockpick/lock"
)

// UnseenRelease is [kubelocks.Lease] whose release reads the Lease and writes it without a holder, and does not look
// whether it is still its own, as client-go's elector does from v0.34 to v0.37.
//
// Flawed: a holder that was late, and whose lease another has taken over, releases that of its successor (gc-pause:
// owner-only-release), and a third client may take the lock (mutual-exclusion). So does one that releases twice (cancel). A
// release that fails is not repeated, so others wait for the end of the lease (stale-follower, server-errors: no-orphan).
//
// Requests: as [kubelocks.Lease], and one more to release.
type UnseenRelease struct{ client *recipe.Client }

// NewUnseenRelease returns a locker for the Lease of a name, at the API server of a URL. It is safe for concurrent use.
func NewUnseenRelease(client *http.Client, url, namespace, name string, o kubelocks.Options) *UnseenRelease {
	return &UnseenRelease{recipe.New(client, url, namespace, name, recipe.Options(o))}
}

// Acquire waits for the lock until ctx is done.
func (l *UnseenRelease) Acquire(ctx context.Context) (lock.Lease, error) {
	h, err := l.client.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	return unseenHold{h}, nil
}

// unseenHold is a hold that is released without a look at its owner.
type unseenHold struct{ *recipe.Hold }

// Release empties holderIdentity, even if another client holds the Lease.
func (h unseenHold) Release(ctx context.Context) error { return h.ReleaseUnseen(ctx) }
