package electors

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/lockpick-dev/lockpick/lock"
)

// Options are those of an elector. The zero Options are client-go's defaults.
type Options struct {
	// LeaseDuration is how long others wait for a leader that does not renew its Lease (default 15 s), in whole seconds.
	LeaseDuration time.Duration
	// RenewDeadline is how long a leader tries to renew it (default two thirds of LeaseDuration).
	RenewDeadline time.Duration
	// RetryPeriod is the pause between two tries (default two fifteenths of LeaseDuration).
	RetryPeriod time.Duration
	// Timeout is that of each request. The default is none, as in client-go's example; resourcelock.NewFromKubeconfig sets half of
	// RenewDeadline.
	Timeout time.Duration
	// ReleaseOnCancel releases the Lease at the end.
	ReleaseOnCancel bool
	// Silent makes Release return nil when the API server has refused the release because the Lease has another version by then
	// (409 Conflict): as a program sees it, since Run returns nothing. Else such a Release returns an error.
	Silent bool
	// Identity is the beginning of the names of leaders, such as a host's name. Each term adds a random part.
	Identity string
	// Wrap changes what the elector uses as its lock, such as [KeepSuccessor]; nil leaves it as it is.
	Wrap func(resourcelock.Interface) resourcelock.Interface
}

// complete returns the options with the defaults.
func (o Options) complete() Options {
	if o.LeaseDuration <= 0 {
		o.LeaseDuration = 15 * time.Second
	}
	if o.RenewDeadline <= 0 {
		o.RenewDeadline = o.LeaseDuration * 2 / 3
	}
	if o.RetryPeriod <= 0 {
		o.RetryPeriod = o.LeaseDuration * 2 / 15
	}
	if o.Wrap == nil {
		o.Wrap = func(l resourcelock.Interface) resourcelock.Interface { return l }
	}
	return o
}

// Elector is client-go's leader election as a lock: who leads has it.
type Elector struct {
	client          coordination.LeasesGetter
	namespace, name string
	running         context.Context // of all its electors
	stop            context.CancelFunc
	Options
}

// New returns a locker for the Lease of a name. It is safe for concurrent use.
func New(config *rest.Config, namespace, name string, o Options) (*Elector, error) {
	o = o.complete()
	c := rest.CopyConfig(config)
	c.Timeout = o.Timeout
	client, err := coordination.NewForConfig(c)
	if err != nil {
		return nil, fmt.Errorf("electors: make a client: %w", err)
	}
	running, stop := context.WithCancel(context.Background())
	return &Elector{client, namespace, name, running, stop, o}, nil
}

// Close stops all electors. It does not wait for them.
func (e *Elector) Close() error {
	e.stop()
	return nil
}

// Acquire runs an elector until it leads, or ctx is done. It then stops in the background.
func (e *Elector) Acquire(ctx context.Context) (lock.Lease, error) {
	running, stop := context.WithCancel(e.running)
	t := &term{id: e.Identity + "_" + rand.Text()[:10], stop: stop, silent: e.Silent, led: make(chan struct{}), over: make(chan struct{})}
	t.requests.Interface = e.Wrap(&resourcelock.LeaseLock{
		LeaseMeta: metav1.ObjectMeta{Name: e.name, Namespace: e.namespace},
		Client:    e.client, LockConfig: resourcelock.ResourceLockConfig{Identity: t.id},
	})
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &t.requests, Name: e.name, LeaseDuration: e.LeaseDuration, RenewDeadline: e.RenewDeadline, RetryPeriod: e.RetryPeriod, ReleaseOnCancel: e.ReleaseOnCancel,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(t.led) },
			OnStoppedLeading: func() { close(t.over) },
		},
	})
	if err != nil {
		stop()
		return nil, fmt.Errorf("%w: electors: make an elector: %w", lock.ErrNotAcquired, err)
	}
	t.elector = elector
	go elector.Run(running)
	select {
	case <-t.led:
		return t, nil
	case <-ctx.Done():
		stop()
		return nil, fmt.Errorf("electors: acquire: %w", ctx.Err())
	}
}

// term is the time in which an elector leads.
type term struct {
	id        string
	elector   *leaderelection.LeaderElector
	requests  requests
	stop      context.CancelFunc
	led, over chan struct{}
	silent    bool
	stopped   bool // by a Release
	leads     bool // it did when it was stopped, by what it knew
	released  bool
}

// ID returns the name of the leader.
func (t *term) ID() string { return t.id }

// Release stops the elector, which releases the Lease if ReleaseOnCancel is set. Run does not say whether it did. The
// elector that has released it does not take itself for the leader any more. The error of one that was
// refused because the Lease has another version by then (409 Conflict) wraps that of the request.
func (t *term) Release(ctx context.Context) error {
	if !t.stopped {
		t.stopped, t.leads = true, t.elector.IsLeader()
		t.stop()
	}
	select {
	case <-t.over:
	case <-ctx.Done():
		return fmt.Errorf("electors: release: %w", ctx.Err())
	}
	switch {
	case t.released || !t.leads:
		return fmt.Errorf("electors: release: %w", lock.ErrNotHeld)
	case t.elector.IsLeader() && !(t.silent && errors.IsConflict(t.requests.failed)):
		err := fmt.Errorf("electors: release: %w: the elector has not released the Lease", lock.ErrUnknown)
		if errors.IsConflict(t.requests.failed) { // the texts of errors of the network depend on which timer of net/http fires first
			err = fmt.Errorf("%w: %w", err, t.requests.failed)
		}
		return err
	}
	t.released = true
	return nil
}

// Lost is closed when the elector has stopped leading: when OnStoppedLeading is called.
func (t *term) Lost() <-chan struct{} { return t.over }
