package filelocks

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/filelocks/internal/recipe"
)

// Exclusive is a file that is created exclusively (O_EXCL): the client that creates it has the lock, and
// removes it to release the lock. Nobody else can create it meanwhile.
//
// It guarantees mutual exclusion as long as nobody but its lockers removes the file, and the file system
// carries out each request once. It has no lease: the file of a holder that crashes stays until somebody
// removes it by hand (scenario holder-crash, property progress). Over NFSv3 and NFSv4.0 a removal that is
// repeated may remove another's file.
//
// The file's content is a random value of the acquisition's own. A creation whose answer was lost is
// recognized by it, and the file is removed if the client gives up.
//
// Requests: acquire 1 without contention, release 1; a waiter asks again after each pause.
type Exclusive struct {
	files   Files
	name    string
	options *recipe.Options
}

// NewExclusive returns a locker by the file of that name. It is safe for concurrent use.
func NewExclusive(files Files, name string, options Options) *Exclusive {
	return &Exclusive{files, name, options.recipe()}
}

// Acquire waits until the lock is held, ctx is done, or the file system refuses for good. If it returns an error, a
// file that it may have made is removed in the background.
func (e *Exclusive) Acquire(ctx context.Context) (lock.Lease, error) {
	f := &recipe.Owned{Files: e.files, Name: e.name, Owner: rand.Text()}
	for {
		mine, err := f.Make(ctx)
		if mine {
			return &exclusiveHold{file: f, options: e.options}, nil
		}
		if !recipe.Final(err) {
			err = e.options.Rest(ctx)
		}
		if err != nil {
			if f.Open {
				e.options.Afterwards(f.Clean)
			}
			return nil, recipe.Failed("acquire", err)
		}
	}
}

// exclusiveHold is a file.
type exclusiveHold struct {
	file    *recipe.Owned
	options *recipe.Options
	over    bool
}

// Release removes the file. It returns [lock.ErrNotHeld] if the file was gone, and when it is called again.
// After any other error it is unknown whether the file was removed, and Release retries in the background.
func (h *exclusiveHold) Release(ctx context.Context) error {
	if h.over {
		return lock.ErrNotHeld
	}
	h.over = true
	err := h.file.Files.Remove(ctx, h.file.Name)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return lock.ErrNotHeld
	}
	h.options.Afterwards(h.file.Clean)
	return recipe.Failed("release", err)
}
