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

// Default is the shortest pause, and the longest random part, where an option leaves them out.
const Default = 50 * time.Millisecond

// Pauses are those of one locker. They are safe for concurrent use.
type Pauses struct {
	least, random time.Duration
	clock         clockwork.Clock
	rand          *mrand.Rand

	drawing sync.Mutex // held while a number is drawn from rand
}

// New returns pauses of the least length and of up to random more. 0 stands for [Default]. Rand draws
// what is added; nil stands for the global source of math/rand, which a simulation can seed.
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
