package workload

import (
	"context"
	"fmt"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
)

// ReadWrite is a client of a read-write lock. It reads in one round and writes in the
// next; threads begin with either in turn. A reader takes the read lock again halfway. A
// writer takes the read lock before it releases the write lock, and reads on. Each round
// has a new owner.
type ReadWrite struct {
	Client
	Lock lock.RWLocker
	// Writes says whether the first round writes.
	Writes bool
	// Plain says that an owner takes the lock once.
	Plain bool
}

// Run goes through all rounds, or as many as there are until ctx is done.
func (c *ReadWrite) Run(ctx context.Context) {
	for round := range c.Rounds {
		owner := fmt.Sprintf("%s/%d#%d", c.Process.Name(), c.Thread, round)
		ctx := lock.WithOwner(ctx, owner)
		part := c.reads
		if c.Writes == (round%2 == 0) {
			part = c.writes
		}
		if !part(ctx, owner, round%2 == 1) {
			return // the run is over
		}
		c.step("rest", c.Think/8)
	}
}

// reads is a reader's round. It returns false if the run is over.
func (c *ReadWrite) reads(ctx context.Context, owner string, try bool) bool {
	h := c.side(ctx, c.Lock.Reader(), owner, try)
	if h == nil {
		return false
	}
	c.step("enter", c.Think/32)
	_, ok := c.read(ctx, h)
	c.step("think", c.Stay)
	if !c.Plain && ok && c.believes(h) {
		again := c.side(ctx, c.Lock.Reader(), owner, false)
		if again == nil {
			return false
		}
		c.read(ctx, again)
		c.step("look", c.Think/8)
		c.release(ctx, again)
	}
	c.release(ctx, h)
	return true
}

// writes is a writer's round. It returns false if the run is over.
func (c *ReadWrite) writes(ctx context.Context, owner string, try bool) bool {
	h := c.side(ctx, c.Lock.Writer(), owner, try)
	if h == nil {
		return false
	}
	c.section(ctx, h)
	var read *hold
	if !c.Plain && c.believes(h) {
		if read = c.side(ctx, c.Lock.Reader(), owner, false); read == nil {
			return false
		}
	}
	c.release(ctx, h)
	if read != nil {
		c.step("read on", c.Think/8)
		c.read(ctx, read)
		c.release(ctx, read)
	}
	return true
}

// side takes one side of the lock.
func (c *ReadWrite) side(ctx context.Context, of lock.Locker, owner string, try bool) *hold {
	acquires, releases := model.AcquireRead, model.ReleaseRead
	if of == c.Lock.Writer() {
		acquires, releases = model.AcquireWrite, model.ReleaseWrite
	}
	w := wanted{acquire: of.Acquire, args: &model.Call{Op: acquires, Owner: owner}}
	if trier, can := of.(lock.TryLocker); try && can {
		w.try = trier.TryAcquire
	}
	h := c.Client.take(ctx, w)
	if h != nil {
		h.ends = &model.Call{Op: releases, Owner: owner}
	}
	return h
}
