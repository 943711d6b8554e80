package recipe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	mrand "math/rand/v2"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pauses"
)

// Config are the options of package filelocks, which documents them.
type Config struct {
	MinSleep, RandomSleep time.Duration
	Clock                 clockwork.Clock
	Rand                  *mrand.Rand
}

// Options are the options of one locker.
type Options struct {
	Config
	*pauses.Pauses
}

// New returns options with the defaults of those that are not set.
func New(o Config) *Options {
	if o.Clock == nil {
		o.Clock = clockwork.NewRealClock()
	}
	return &Options{o, pauses.New(o.MinSleep, o.RandomSleep, o.Clock, o.Rand)}
}

// Afterwards retries do in the background until it succeeds or its error is [Final].
func (o *Options) Afterwards(do func(context.Context) error) {
	o.Clock.AfterFunc(0, func() {
		ctx := context.Background()
		for {
			err := do(ctx)
			if err == nil || Final(err) {
				return // no caller is left
			}
			_ = o.Rest(ctx) // which does not end
		}
	})
}

// Final reports whether another try would fail with the same error: the file system is closed, or does not permit
// the file.
func Final(err error) bool {
	for _, final := range []error{lock.ErrClosed, fs.ErrPermission, fs.ErrNotExist, fs.ErrInvalid} {
		if errors.Is(err, final) {
			return true
		}
	}
	return false
}

// Failed wraps the error of a step of a lock.
func Failed(what string, err error) error { return fmt.Errorf("filelocks: %s: %w", what, err) }
