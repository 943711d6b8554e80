package flawed

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/filelocks"
	"github.com/lockpick-dev/lockpick/lock/filelocks/internal/recipe"
)

// Stale is a file that is created exclusively, and that others break when it is old: its last write is
// longer ago than a lease. A holder claims the lock for a lease from when it sent the last write. So do many
// scripts, to get rid of the files that crashed holders leave.
//
// Flawed: between the look at the file's age and its removal the file may have become another one. A
// client finds an old file; before its removal arrives, that has been removed, by its holder or by another
// client that found it old, and somebody has created the file anew, which is removed then (scenario gc-pause,
// property mutual-exclusion). NewRenaming renames the file and removes it under its new name. Of two
// clients one takes the old file then, and the other the new one all the same. The age is measured by the client's
// clock against the server's, too (clock-skew, mutual-exclusion).
//
// Requests: acquire 1 without contention, release 2, extend 2; a waiter makes 2 after each pause.
type Stale struct {
	files   filelocks.Files
	name    string
	ttl     time.Duration
	renames bool
	options *recipe.Options
}

// NewStale returns a locker by the file of that name, which is old after the TTL. It is safe for concurrent
// use.
func NewStale(files filelocks.Files, name string, ttl time.Duration, options filelocks.Options) *Stale {
	return &Stale{files: files, name: name, ttl: ttl, options: recipe.New(recipe.Config(options))}
}

// NewRenaming is [NewStale] of a locker that renames an old file before it removes it.
func NewRenaming(files filelocks.Files, name string, ttl time.Duration, options filelocks.Options) *Stale {
	s := NewStale(files, name, ttl, options)
	s.renames = true
	return s
}

// Acquire waits until the lock is held, ctx is done, or the file system refuses for good. If it returns an error, a
// file that it may have made is removed in the background.
func (s *Stale) Acquire(ctx context.Context) (lock.Lease, error) {
	h := &staleHold{of: s, file: &recipe.Owned{Files: s.files, Name: s.name, Owner: rand.Text()}}
	for {
		if !h.file.Open { // else it may have been made before
			h.until = s.options.Clock.Now().Add(s.ttl)
		}
		mine, err := h.file.Make(ctx)
		if mine && s.options.Clock.Now().Before(h.until) {
			return h, nil
		}
		if err == nil && !mine {
			s.breakOld(ctx, h.file.Owner)
		}
		if !recipe.Final(err) {
			err = s.options.Rest(ctx)
		}
		if err != nil {
			if h.file.Open || mine {
				s.options.Afterwards(h.file.Clean)
			}
			return nil, recipe.Failed("acquire", err)
		}
		if mine { // the answer arrived too late
			h.file.Open = h.file.Clean(ctx) != nil
		}
	}
}

// breakOld removes the file if it is old. It ignores errors: the next try repeats it.
func (s *Stale) breakOld(ctx context.Context, owner string) {
	written, err := s.files.Modified(ctx, s.name)
	if err != nil || s.options.Clock.Now().Sub(written) <= s.ttl {
		return
	}
	name := s.name
	if s.renames {
		name += "." + owner
		if err := s.files.Rename(ctx, s.name, name); err != nil {
			return
		}
	}
	_ = s.files.Remove(ctx, name)
}

// staleHold is a file, until it is old.
type staleHold struct {
	of   *Stale
	file *recipe.Owned

	mu    sync.Mutex // never held while anything is waited for
	until time.Time
}

// Until returns when the file is old at the earliest, by the client's clock.
func (h *staleHold) Until() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.until
}

// Extend writes the file again, if it is there. The lease is a TTL of the locker's, whatever ttl is. It returns
// [lock.ErrNotHeld] if the lease had ended before that was answered.
func (h *staleHold) Extend(ctx context.Context, _ time.Duration) error {
	mine, err := h.file.Mine(ctx)
	if err != nil {
		return recipe.Failed("extend", err)
	}
	sent := h.of.options.Clock.Now()
	if mine {
		err = h.file.Files.Write(ctx, h.file.Name, h.file.Owner)
	}
	switch {
	case !mine || errors.Is(err, fs.ErrNotExist) || err == nil && !h.of.options.Clock.Now().Before(h.Until()):
		return lock.ErrNotHeld
	case err != nil:
		return recipe.Failed("extend", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.until = sent.Add(h.of.ttl)
	return nil
}

// Release removes the file, if it is there. It returns [lock.ErrNotHeld] if it is not.
func (h *staleHold) Release(ctx context.Context) error {
	mine, err := h.file.Mine(ctx)
	if err == nil && !mine {
		return lock.ErrNotHeld
	}
	if err == nil {
		err = h.file.Files.Remove(ctx, h.file.Name)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return lock.ErrNotHeld
	}
	h.of.options.Afterwards(h.file.Clean)
	return recipe.Failed("release", err)
}
