package filelocks

import (
	"context"
	"time"

	"github.com/lockpick-dev/lockpick/lock/filelocks/internal/recipe"
)

// Files is a directory of a file system that several machines share. Names have no slash. [Dir] is one that
// is mounted. Its methods must be safe for concurrent use.
//
// Errors are [fs.ErrExist], [fs.ErrNotExist], [fs.ErrPermission] and [fs.ErrInvalid], wrapped or not; any other leaves
// open whether a change was made. A closed file system returns [lock.ErrClosed], which leaves it open, too.
type Files interface {
	// Create makes a file, or fails with fs.ErrExist if it exists (O_EXCL).
	Create(ctx context.Context, name, content string) error
	// Read returns the content of a file, or fails with fs.ErrNotExist, as the methods below do.
	Read(ctx context.Context, name string) (content string, err error)
	// Write replaces the content of a file.
	Write(ctx context.Context, name, content string) error
	// Remove removes a file, even of another client.
	Remove(ctx context.Context, name string) error
	// Rename renames a file, and replaces a file of that name, in one step.
	Rename(ctx context.Context, from, to string) error
	// Modified returns when a file was last written, by the clock of the file system.
	Modified(ctx context.Context, name string) (time.Time, error)
}

var _ recipe.Files = Files(nil)

// Locking is a file system whose locks live with a lease of its client, as those of NFSv4 do. Its methods
// must be safe for concurrent use.
type Locking interface {
	// Lock locks a file exclusively for an owner, without waiting, and makes the file if need be. It fails
	// with [lock.ErrNotAcquired], wrapped or not, if another owner has the lock; any other error leaves
	// open whether the owner has it. An owner that has the lock already gets it again. Lost is closed when
	// the lock is lost or may be.
	Lock(ctx context.Context, name, owner string) (lost <-chan struct{}, err error)
	// Until returns when the lock ends unless the client renews its lease, by the client's clock.
	Until(name, owner string) time.Time
	// Unlock gives the lock up. It fails with [lock.ErrNotHeld], wrapped or not, if the owner does not have
	// it any more; any other error leaves open whether it was given up.
	Unlock(ctx context.Context, name, owner string) error
}
