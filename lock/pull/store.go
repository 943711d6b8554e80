package pull

import (
	"context"
	"time"
)

// A Store keeps the records of locks: a name, a value that is unique to an acquisition,
// and an expiry. Each operation is one atomic step. After an error it may or may not
// have taken effect. A Store must be safe for concurrent use.
type Store interface {
	// AddIfAbsent adds a record that lives for ttl if there is none of that name. It
	// reports whether the record has the value now: it was added, or an earlier request
	// whose answer was lost had added it. The record then lives for ttl from now, or
	// longer.
	AddIfAbsent(ctx context.Context, name, value string, ttl time.Duration) (added bool, err error)
	// CompareAndDelete removes the record of that name if it has the value, and
	// reports whether it had.
	CompareAndDelete(ctx context.Context, name, value string) (deleted bool, err error)
	// CompareAndExpire makes the record of that name live for ttl from now if it
	// has the value, unless it lives longer already, and reports whether it had.
	CompareAndExpire(ctx context.Context, name, value string, ttl time.Duration) (held bool, err error)
}

// A Reader is a [Store] that can also read. Its leases are lock.Checkers.
type Reader interface {
	Store
	// Has reports whether the record of that name has the value.
	Has(ctx context.Context, name, value string) (has bool, err error)
}
