package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Ownership reads what the keys of a family of locks say: who has how much of
// the lock, for locks that are more than one value under one key. It knows the
// layout of the keys and nothing else.
type Ownership interface {
	// Shares are those that a key's value grants. It is asked about every key
	// that there is: one by which nobody has the lock, such as a counter or a
	// queue, has none. What should be readable and is not is an error. It goes
	// by its arguments alone, and does not keep them.
	//
	// A share belongs to the acquisition whose request has put the holder's name
	// there, until the name is gone from the key. But a name that another's request
	// writes is a grant to whom it names: that of who waits, written by a Release
	// that hands the lock over, or by somebody who finds it free and gives it to the
	// first in the queue. It belongs to the acquisition that waits and has written
	// the name itself before, into whichever key; or else to the only one that
	// succeeds while the name is there. Where there is none, or are several, it is
	// not known whose the share is, and nobody is blamed for what becomes of it.
	Shares(key string, value Stored) ([]Share, error)
}

// OwnershipFunc is an [Ownership] that is a function.
type OwnershipFunc func(key string, value Stored) ([]Share, error)

// Shares calls the function.
func (f OwnershipFunc) Shares(key string, value Stored) ([]Share, error) { return f(key, value) }

// Share is what one holder has of a lock at one key of one node.
type Share struct {
	// Holder is whom the key names: a value, a field or a member.
	Holder string
	// Count is how often, or how much: entries, or permits.
	Count int64
	// Write is set on a writer's share of a read-write lock.
	Write bool
	// Until is when the share ends by itself, in the run's time after the
	// node's clock; 0 if it ends with its key.
	Until time.Duration
}

// HashOwnership is the view of a lock that is one hash: each field names a
// holder, and its value is how often, or how much, it holds. It is that of
// re-entrant locks, of semaphores that remember who took permits, and of
// read-write locks whose fields tell writers by a prefix.
type HashOwnership struct {
	// Key is the name of the hash; empty, all hashes are the lock's.
	Key string
	// Besides are the fields that name no holder, such as a mode or a sum.
	Besides []string
	// Writers is the prefix of the fields that are writers' shares; empty, there
	// are none. Readers is that of the others, which is left out of their names
	// too.
	Writers, Readers string
}

// Shares are those of the fields, in their order.
func (h HashOwnership) Shares(key string, value Stored) ([]Share, error) {
	if h.Key != "" && h.Key != key || value.Type != "hash" {
		return nil, nil
	}
	var shares []Share
	for _, p := range value.pairs() {
		if slices.Contains(h.Besides, p[0]) {
			continue
		}
		n, err := strconv.ParseInt(p[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("field %q of hash %q is %q: want a count", p[0], key, p[1])
		}
		shares = append(shares, h.share(p[0], n))
	}
	return shares, nil
}

func (h HashOwnership) share(field string, n int64) Share {
	if name, writes := strings.CutPrefix(field, h.Writers); writes && h.Writers != "" {
		return Share{Holder: name, Count: n, Write: true}
	}
	return Share{Holder: strings.TrimPrefix(field, h.Readers), Count: n}
}

// SortedSetOwnership is the view of a lock that is one sorted set: each member
// names a permit, or a holder, and its score is when that ends, in milliseconds
// since 1970 by the node's clock. Such members are removed by the next who
// comes by, not when they end: a share whose Until has passed is none, though
// the key still has it.
type SortedSetOwnership struct {
	// Key is the name of the sorted set; empty, all are the lock's.
	Key string
	// Start is what the node's clock showed at the beginning of the run. A clock
	// that jumps makes another of it: scores are then off by as much.
	Start time.Time
	// Writers and Readers are as in [HashOwnership].
	Writers, Readers string
}

// Shares are those of the members, in their order.
func (z SortedSetOwnership) Shares(key string, value Stored) ([]Share, error) {
	if z.Key != "" && z.Key != key || value.Type != "zset" {
		return nil, nil
	}
	pairs := value.pairs()
	shares := make([]Share, 0, len(pairs))
	for _, p := range pairs {
		millis, err := strconv.ParseFloat(p[1], 64)
		if err != nil {
			return nil, fmt.Errorf("the score of %q in sorted set %q is %q: want milliseconds", p[0], key, p[1])
		}
		s := HashOwnership{Writers: z.Writers, Readers: z.Readers}.share(p[0], 1)
		s.Until = time.UnixMicro(int64(millis * 1000)).Sub(z.Start)
		shares = append(shares, s)
	}
	return shares, nil
}
