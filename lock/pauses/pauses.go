package pauses

import (
	"cmp"
	"context"
	grand "math/rand"
	mrand "math/rand/v2"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// Default is the default of the shortest pause, and of the longest random part.
const Default = 50 * time.Millisecond

// Pauses makes the pauses of one locker. It is safe for concurrent use.
type Pauses struct {
	least, random time.Duration
	clock         clockwork.Clock
	rand          *mrand.Rand

	drawing sync.Mutex // held while a number is drawn from rand
}

// New returns pauses of the given least length and a random part of up to random; 0 means [Default].
// Rand draws the random part; nil means the global source of math/rand, which a simulation can seed.
func New(least, random time.Duration, clock clockwork.Clock, rand *mrand.Rand) *Pauses {
	return &Pauses{least: cmp.Or(least, Default), random: cmp.Or(random, Default), clock: clock, rand: rand}
}

// Rest makes a pause, or fails with the context's error when that is done.
func (p *Pauses) Rest(ctx context.Context) error { return p.Wait(ctx, p.length()) }

// Wait waits, or fails with the context's error when that is done.
func (p *Pauses) Wait(ctx context.Context, d time.Duration) error {
	timer := p.clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.Chan():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// length draws the length of a pause.
func (p *Pauses) length() time.Duration {
	most := int64(max(p.random, 1))
	if p.rand == nil {
		return p.least + time.Duration(grand.Int63n(most))
	}
	p.drawing.Lock()
	defer p.drawing.Unlock()
	return p.least + time.Duration(p.rand.Int64N(most))
}
