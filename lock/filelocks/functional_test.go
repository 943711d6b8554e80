//go:build unix

package filelocks_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/mutextest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/filelocks"
	"github.com/lockpick-dev/lockpick/lock/filelocks/flawed"
)

// flocks is a directory of this machine whose files are locked by flock(2). It has no leases.
type flocks struct {
	dir string

	mu   sync.Mutex
	held map[string]*os.File // by owner
}

func (f *flocks) Lock(_ context.Context, name, owner string) (<-chan struct{}, error) {
	file, err := os.OpenFile(filepath.Join(f.dir, name), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(lock.ErrNotAcquired, file.Close())
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held[owner] = file
	return nil, nil
}

func (*flocks) Until(string, string) time.Time { return time.Now().Add(time.Hour) }

func (f *flocks) Unlock(_ context.Context, _, owner string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	file := f.held[owner]
	if file == nil {
		return lock.ErrNotHeld
	}
	delete(f.held, owner)
	return file.Close()
}

// locks are the locks that exclude each other without faults, the flawed ones too.
var locks = map[string]func(dir, name string) lock.Locker{
	"exclusive": func(dir, name string) lock.Locker {
		return filelocks.NewExclusive(filelocks.Dir(dir), name, options)
	},
	"flock": func(dir, name string) lock.Locker {
		return filelocks.NewFlock(&flocks{dir: dir, held: map[string]*os.File{}}, name, options)
	},
	"stale": func(dir, name string) lock.Locker {
		return flawed.NewStale(filelocks.Dir(dir), name, time.Minute, options)
	},
	"renaming": func(dir, name string) lock.Locker {
		return flawed.NewRenaming(filelocks.Dir(dir), name, time.Minute, options)
	},
	"deaf": func(dir, name string) lock.Locker {
		return flawed.NewDeaf(&flocks{dir: dir, held: map[string]*os.File{}}, name, options)
	},
}

var options = filelocks.Options{MinSleep: time.Millisecond, RandomSleep: time.Millisecond}

// TestExclusion: on the machine's own file system several clients add to a number without losing an addition.
func TestExclusion(t *testing.T) {
	for id, make := range locks {
		t.Run(id, func(t *testing.T) {
			dir := t.TempDir()
			mutextest.Exclusion(t, new(atomic.Int64), func() lock.Locker { return make(dir, "lock") })
		})
	}
}

// TestWaiting: who waits gives up with its context and leaves nothing behind.
func TestWaiting(t *testing.T) {
	for id, make := range locks {
		t.Run(id, func(t *testing.T) { mutextest.Waiting(t, make(t.TempDir(), "lock")) })
	}
}

// TestNoDirectory: an acquisition that cannot succeed returns at once.
func TestNoDirectory(t *testing.T) {
	for id, make := range locks {
		t.Run(id, func(t *testing.T) {
			if _, err := make(filepath.Join(t.TempDir(), "none"), "lock").Acquire(t.Context()); !errors.Is(err, os.ErrNotExist) {
				t.Error(err)
			}
		})
	}
}

// TestStaleIsBroken: the flawed locks take over from a holder that is gone, by the age of its file, and the sound one
// does not. An extension makes the file young again.
func TestStaleIsBroken(t *testing.T) {
	const ttl = 100 * time.Millisecond
	for id, make := range map[string]func(filelocks.Files, string, time.Duration, filelocks.Options) *flawed.Stale{
		"stale": flawed.NewStale, "renaming": flawed.NewRenaming,
	} {
		t.Run(id, func(t *testing.T) {
			dir := filelocks.Dir(t.TempDir())
			locker := make(dir, "lock", ttl, options)
			first, err := locker.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			before := first.(lock.Expirer).Until()
			if err := first.(lock.Extender).Extend(t.Context(), ttl); err != nil || !first.(lock.Expirer).Until().After(before) {
				t.Fatalf("extend: %v", err)
			}
			if _, err := locker.Acquire(t.Context()); err != nil {
				t.Fatal(err)
			}
			if now := time.Now(); now.Before(first.(lock.Expirer).Until()) {
				t.Errorf("it was broken %v before its end", first.(lock.Expirer).Until().Sub(now))
			}
			if err := first.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
				t.Errorf("release of what was broken: %v", err)
			}
			if err := first.(lock.Extender).Extend(t.Context(), ttl); !errors.Is(err, lock.ErrNotHeld) {
				t.Errorf("extend of what was broken: %v", err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 3*ttl)
			defer cancel()
			if _, err := filelocks.NewExclusive(dir, "lock", options).Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("an acquisition that breaks nothing: %v", err)
			}
		})
	}
}
