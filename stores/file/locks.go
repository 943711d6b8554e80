package file

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/sim/simfile"
)

// claim is the client's lock of a file.
type claim struct {
	name, owner string
	boot        int64     // the server's start that knows it
	until       time.Time // by the client's clock: its lease lasts until then at least
	lost        chan struct{}
	end         clockwork.Timer
	over        bool // lost, or given up
}

// Lock locks a file for an owner, without waiting, and makes the file if need be. It fails with
// [lock.ErrNotAcquired] if another owner has the lock; after another error the owner may have it. An
// owner that has it already gets it again. Lost is closed when the lock is known to be lost, or may be:
// when the client's lease is over by its own clock.
//
// The lock lives with the client's lease, which is renewed every quarter of its length while there is a
// lock, and by every request.
func (c *Client) Lock(ctx context.Context, name, owner string) (lost <-chan struct{}, err error) {
	failed := c.do(ctx, func(r reply) {
		switch r.Status {
		case simfile.OK:
			lost = c.claim(name, owner, r).lost
		case simfile.Denied:
			err = fmt.Errorf("file: %s is locked: %w", name, lock.ErrNotAcquired)
		default:
			err = refused(simfile.Lock, name, r)
		}
	}, simfile.Lock, name, owner)
	if failed != nil {
		return nil, failed
	}
	return lost, err
}

// Unlock gives a lock up. It fails with [lock.ErrNotHeld] if the owner does not have it any more. After
// another error it may have been given up. The client does not reclaim it in any case.
func (c *Client) Unlock(ctx context.Context, name, owner string) (err error) {
	c.forget(name, owner)
	failed := c.do(ctx, func(r reply) {
		if err = refused(simfile.Unlock, name, r); r.Status == simfile.NoLock {
			err = lock.ErrNotHeld
		}
	}, simfile.Unlock, name, owner)
	if failed != nil {
		return failed
	}
	return err
}

// Until returns the end of an owner's lock by the client's clock, unless the lease is renewed; zero if the
// client knows of no such lock. It may have been lost before.
func (c *Client) Until(name, owner string) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.find(name, owner); i >= 0 {
		return c.claims[i].until
	}
	return time.Time{}
}

// find returns the place of a claim, -1 if there is none. It needs c.mu.
func (c *Client) find(name, owner string) int {
	return slices.IndexFunc(c.claims, func(k *claim) bool { return k.name == name && k.owner == owner })
}

// claim notes a lock that was granted.
func (c *Client) claim(name, owner string, r reply) *claim {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.find(name, owner); i >= 0 && !c.claims[i].over {
		return c.claims[i]
	}
	k := &claim{name: name, owner: owner, boot: r.Boot, until: r.sent.Add(c.lease), lost: make(chan struct{})}
	k.end = c.clock.AfterFunc(max(k.until.Sub(c.clock.Now()), 0), func() { c.check(k) })
	c.claims = append(c.claims, k)
	if c.next == nil {
		lease := c.lease
		c.next = c.clock.AfterFunc(lease/4, func() { c.renew(lease) })
	}
	return k
}

// forget ends a claim that is given up.
func (c *Client) forget(name, owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.find(name, owner); i >= 0 {
		c.claims[i].over = true
		c.claims[i].end.Stop()
		c.claims = slices.Delete(c.claims, i, i+1)
	}
}

// check ends a claim whose lease is over. The clock calls it.
func (c *Client) check(k *claim) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if left := k.until.Sub(c.clock.Now()); left > 0 {
		if !k.over {
			k.end = c.clock.AfterFunc(left, func() { c.check(k) })
		}
		return
	}
	k.lose(c.clock.Now())
}

// lose ends a claim and informs its owner. The caller holds the client's mu.
func (k *claim) lose(now time.Time) {
	if !k.over {
		k.over = true
		k.end.Stop()
		close(k.lost)
		if k.until.After(now) {
			k.until = now
		}
	}
}

// loseAll loses all claims: the lease has expired.
func (c *Client) loseAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.claims {
		k.lose(c.clock.Now())
	}
}

// heard notes an answer: the server renewed the lease when it got the request, or later. It renews the
// claims that the server knows.
func (c *Client) heard(r reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.claims {
		if until := r.sent.Add(c.lease); !k.over && k.boot == r.Boot && until.After(k.until) {
			k.until = until
		}
	}
}

// reclaim reclaims the locks that the server does not know any more, because it has restarted.
func (c *Client) reclaim(ctx context.Context, boot int64) {
	for _, k := range c.forgotten(boot) {
		r, _, err := c.ask(ctx, simfile.Reclaim, []string{k.name, k.owner})
		if err != nil {
			return // with the next request
		}
		c.mu.Lock()
		if r.Status == simfile.OK {
			k.boot = r.Boot
		} else {
			k.lose(c.clock.Now())
		}
		c.mu.Unlock()
		c.heard(r)
	}
}

// forgotten returns the claims of an earlier start of the server.
func (c *Client) forgotten(boot int64) (list []*claim) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.claims {
		if k.boot < boot && !k.over {
			list = append(list, k)
		}
	}
	return list
}

// renew renews the lease, unless a request is under way, which does so as well, and schedules the
// next renewal as long as there is a claim. The clock calls it.
func (c *Client) renew(lease time.Duration) {
	if len(c.turn) == 0 {
		ctx, cancel := context.WithCancel(c.ctx)
		timer := c.clock.AfterFunc(lease, cancel)
		_ = c.do(ctx, func(reply) {}, simfile.Renew) // if it fails, claims end by the clock
		timer.Stop()
		cancel()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next = nil
	if c.ctx.Err() == nil && slices.ContainsFunc(c.claims, func(k *claim) bool { return !k.over }) {
		c.next = c.clock.AfterFunc(lease/4, func() { c.renew(lease) })
	}
}
