package recipe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	grand "math/rand"
	mrand "math/rand/v2"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock"
)

// Config are the options of package filelocks, which explains them.
type Config struct {
	MinSleep, RandomSleep time.Duration
	Clock                 clockwork.Clock
	Rand                  *mrand.Rand
}

// Options are those of one locker.
type Options struct {
	Config
	drawing sync.Mutex // held while a number is drawn from Rand
}

// New fills in what is not set.
func New(o Config) *Options {
	if o.MinSleep == 0 {
		o.MinSleep = 50 * time.Millisecond
	}
	if o.RandomSleep == 0 {
		o.RandomSleep = 50 * time.Millisecond
	}
	if o.Clock == nil {
		o.Clock = clockwork.NewRealClock()
	}
	return &Options{Config: o}
}

// Rest waits between two tries, or fails when ctx is done.
func (o *Options) Rest(ctx context.Context) error {
	timer := o.Clock.NewTimer(o.pause())
	defer timer.Stop()
	select {
	case <-timer.Chan():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (o *Options) pause() time.Duration {
	most := int64(max(o.RandomSleep, 1))
	if o.Rand == nil {
		return o.MinSleep + time.Duration(grand.Int63n(most)) // the global source that a simulation can seed
	}
	o.drawing.Lock()
	defer o.drawing.Unlock()
	return o.MinSleep + time.Duration(o.Rand.Int64N(most))
}

// Afterwards does something in the background, until it succeeds or another try cannot help: see [Final].
func (o *Options) Afterwards(do func(context.Context) error) {
	o.Clock.AfterFunc(0, func() {
		ctx := context.Background()
		for {
			err := do(ctx)
			if err == nil || Final(err) {
				return // nobody is left to tell
			}
			_ = o.Rest(ctx) // which does not end
		}
	})
}

// Final reports whether another try cannot mend an error: the file system is closed, or lets nobody make the file.
func Final(err error) bool {
	for _, final := range []error{lock.ErrClosed, fs.ErrPermission, fs.ErrNotExist, fs.ErrInvalid} {
		if errors.Is(err, final) {
			return true
		}
	}
	return false
}

// Told is an error of what a lock did.
func Told(what string, err error) error { return fmt.Errorf("filelocks: %s: %w", what, err) }
