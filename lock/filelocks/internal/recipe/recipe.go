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

// Config are the options of package filelocks, which explains them.
type Config struct {
	MinSleep, RandomSleep time.Duration
	Clock                 clockwork.Clock
	Rand                  *mrand.Rand
}

// Options are those of one locker.
type Options struct {
	Config
	*pauses.Pauses
}

// New fills in what is not set.
func New(o Config) *Options {
	if o.Clock == nil {
		o.Clock = clockwork.NewRealClock()
	}
	return &Options{o, pauses.New(o.MinSleep, o.RandomSleep, o.Clock, o.Rand)}
}

// Afterwards does something in the background, until it succeeds or another try cannot help: see [Final].
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

// Final reports whether another try cannot mend an error: the file system is closed, or lets nobody make the file.
func Final(err error) bool {
	for _, final := range []error{lock.ErrClosed, fs.ErrPermission, fs.ErrNotExist, fs.ErrInvalid} {
		if errors.Is(err, final) {
			return true
		}
	}
	return false
}

// Failed wraps an error of what a lock did.
func Failed(what string, err error) error { return fmt.Errorf("filelocks: %s: %w", what, err) }
