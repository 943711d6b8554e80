package recipe

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
)

// Files is the interface of that name of package filelocks.
type Files interface {
	Create(ctx context.Context, name, content string) error
	Read(ctx context.Context, name string) (content string, err error)
	Write(ctx context.Context, name, content string) error
	Remove(ctx context.Context, name string) error
	Rename(ctx context.Context, from, to string) error
	Modified(ctx context.Context, name string) (time.Time, error)
}

// Owned is a file that an acquisition makes, with its owner's name as its content.
type Owned struct {
	Files       Files
	Name, Owner string
	// Open is set once it is unknown whether the file was made: a Create was not
	// answered.
	Open bool
}

// Make makes the file, and reports whether it is the owner's.
func (f *Owned) Make(ctx context.Context) (mine bool, err error) {
	err = f.Files.Create(ctx, f.Name, f.Owner)
	switch {
	case err == nil:
		return true, nil
	case !errors.Is(err, fs.ErrExist):
		f.Open = f.Open || !Final(err) || errors.Is(err, lock.ErrClosed)
		return false, err
	case !f.Open:
		return false, nil
	}
	return f.Mine(ctx)
}

// Mine reports whether the file exists and is the owner's.
func (f *Owned) Mine(ctx context.Context) (bool, error) {
	content, err := f.Files.Read(ctx, f.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && content == f.Owner, err
}

// Clean removes the file if it is the owner's. It may be called again after an error.
func (f *Owned) Clean(ctx context.Context) error {
	mine, err := f.Mine(ctx)
	if err == nil && mine {
		err = f.Files.Remove(ctx, f.Name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
