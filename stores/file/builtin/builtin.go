package builtin

import (
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/filelocks"
	"github.com/lockpick-dev/lockpick/lock/filelocks/flawed"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/stores/file"
)

// created is the ownership of a lock that is a file, and locked that of a lock that is the
// lock of a file.
var (
	created = file.Created(cell.LockName)
	locked  = file.Locked(cell.LockName)
)

// Locks returns the built-in locks by files, in the order in which they are listed.
func Locks() []cell.Lock {
	return []cell.Lock{
		mutex("file-excl", "a file that is created exclusively (O_EXCL), removed to release", created, func(c *cell.Client) lock.Locker {
			return filelocks.NewExclusive(file.Connect(c), c.LockName(), options(c))
		}),
		mutex("file-flock", "the lock of a file, which lives with its client's lease and is reclaimed after a restart", locked, func(c *cell.Client) lock.Locker {
			return filelocks.NewFlock(file.Connect(c), c.LockName(), options(c))
		}),
		marked(mutex("file-excl-stale", "a file that others remove when it is old, and create anew", created, func(c *cell.Client) lock.Locker {
			return flawed.NewStale(file.Connect(c), c.LockName(), c.TTL(), options(c))
		})),
		marked(mutex("file-excl-rename", "a file that others rename when it is old, and create anew", created, func(c *cell.Client) lock.Locker {
			return flawed.NewRenaming(file.Connect(c), c.LockName(), c.TTL(), options(c))
		})),
		marked(mutex("file-flock-deaf", "the lock of a file, whose holder does not notice that its lease has expired", locked, func(c *cell.Client) lock.Locker {
			return flawed.NewDeaf(file.Connect(c), c.LockName(), options(c))
		})),
	}
}

func mutex(id, summary string, view model.Ownership, make cell.NewLock) cell.Lock {
	return cell.Lock{ID: id, Summary: summary, Store: file.Store, Reading: cell.Reading{Ownership: view}, Subject: cell.Mutex(make)}
}

// marked marks a lock that is known to fail.
func marked(l cell.Lock) cell.Lock {
	l.Flawed = true
	return l
}

func options(c *cell.Client) filelocks.Options {
	return filelocks.Options{MinSleep: c.Pause(), RandomSleep: c.Pause(), Clock: c.Clock(), Rand: c.Rand()}
}

// Families returns the expectations of the locks, in the order of [Locks].
func Families() []expect.Family {
	return []expect.Family{
		{Title: "Files: exclusive creation, and locks with a lease", Expectations: lockExpectations},
		{Title: "Files, flawed", Expectations: flawedExpectations},
	}
}
