package pull

import (
	"context"
	"time"
)

// A Store keeps the records of who holds a lock: a name, a value that is unique
// to an acquisition, and an expiry. Each operation is one atomic step there. An
// error means that it may or may not have been done. A Store must be safe for
// concurrent use.
type Store interface {
	// AddIfAbsent adds a record that lives for ttl if there is none of that
	// name. It reports whether the record has the value now: it was added, or had
	// been before, by a request whose answer was lost; it then lives for ttl from
	// now, or longer.
	AddIfAbsent(ctx context.Context, name, value string, ttl time.Duration) (added bool, err error)
	// CompareAndDelete removes the record of that name if it has the value, and
	// reports whether it had.
	CompareAndDelete(ctx context.Context, name, value string) (deleted bool, err error)
	// CompareAndExpire makes the record of that name live for ttl from now if it
	// has the value, or longer if it would, and reports whether it had.
	CompareAndExpire(ctx context.Context, name, value string, ttl time.Duration) (held bool, err error)
}

// A Reader is a [Store] that can look, too. Leases over it can be asked whether they
// still stand (lock.Checker).
type Reader interface {
	Store
	// Has reports whether the record of that name has the value.
	Has(ctx context.Context, name, value string) (has bool, err error)
}
