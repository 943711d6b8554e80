// Package recipe is how a Lease is a lock: what the sound locks of package kubelocks and the flawed ones share.
package recipe

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/kube/kubelocks/internal/leases"
	"github.com/lockpick-dev/lockpick/lock"
)

// Options are those of the locks.
type Options struct {
	TTL      time.Duration
	Retry    time.Duration
	Identity string
	Clock    clockwork.Clock
}

// complete returns the options with the defaults.
func (o Options) complete() Options {
	if o.TTL <= 0 {
		o.TTL = 15 * time.Second
	}
	o.TTL = (o.TTL + time.Second - 1) / time.Second * time.Second
	if o.Retry <= 0 {
		o.Retry = o.TTL * 2 / 15
	}
	if o.Clock == nil {
		o.Clock = clockwork.NewRealClock()
	}
	if o.Identity == "" {
		o.Identity = "lock"
	}
	return o
}

// Client is a Lease as a lock, with the options.
type Client struct {
	API *leases.API
	Options
}

// New returns a client for a lock: the Lease of that name.
func New(client *http.Client, url, namespace, name string, o Options) *Client {
	return &Client{&leases.API{Client: client, URL: url, Namespace: namespace, Name: name}, o.complete()}
}

// NewIdentity returns the name of a new holder.
func (c *Client) NewIdentity() string { return c.Identity + "-" + rand.Text()[:10] }

// Seconds is the time to live in seconds.
func (c *Client) Seconds() int { return int(c.TTL / time.Second) }

// Patience is how long to wait for an answer before a request is repeated.
func (c *Client) Patience() time.Duration { return c.TTL / 4 }

// Interval is the time between two renewals.
func (c *Client) Interval() time.Duration { return c.TTL / 3 }

// Once makes a request, and gives it up after a while by the lock's clock.
func (c *Client) Once(ctx context.Context, patience time.Duration, request func(context.Context) (*leases.Lease, error)) (*leases.Lease, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer c.Clock.AfterFunc(patience, cancel).Stop()
	return request(ctx)
}

// Rest waits until the next try, for at least as long as a server has asked for.
func (c *Client) Rest(ctx context.Context, d time.Duration, err error) error {
	var refused *leases.Error
	if errors.As(err, &refused) {
		d = max(d, refused.RetryAfter)
	}
	timer := c.Clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.Chan():
	case <-ctx.Done():
	}
	return ctx.Err()
}

// Code returns the HTTP status of a server that has refused a request, 0 if the error is another.
func Code(err error) int {
	var refused *leases.Error
	if errors.As(err, &refused) {
		return refused.Code
	}
	return 0
}

// Open reports whether an error leaves open whether a request was carried out: no answer, or that a server could
// not finish it.
func Open(err error) bool {
	code := Code(err)
	return err != nil && (code == 0 || code >= http.StatusInternalServerError)
}

// Final reports whether it makes no sense to repeat a request after an error.
func Final(err error) bool {
	code := Code(err)
	return code >= 400 && code < 500 && code != http.StatusTooManyRequests && code != http.StatusConflict && code != http.StatusNotFound
}

// ErrOpen is the error of a release after which the lock may or may not have been given up.
var ErrOpen = errors.New("the lease names another: an earlier request to release it, which was not answered, may have released it, or it was taken over")

// interface check: a hold is a lease of package lock.
var _ interface {
	lock.Lease
	lock.Expirer
	lock.Notifier
	lock.Identified
} = (*Hold)(nil)
