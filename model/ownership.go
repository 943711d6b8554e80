package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Ownership reads what the keys of a family of locks say: who has how much of
// the lock. It knows the layout of the keys and nothing else; [Holdings] feeds
// it with observations.
type Ownership interface {
	// Shares are those that a key's value grants, as an [Observation] shows the
	// value: a string as it is, and anything else as "kind[item item ...]". A
	// key that is none of the lock's has none. What should be readable and is
	// not is an error.
	Shares(key, value string) ([]Share, error)
}

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

// ValueOwnership is the view of a lock that is one string under one key: whose
// value it has holds the lock. Key is its name; empty, it is every key. Values
// must tell holders apart: one who writes what is there already goes on with
// that holding.
type ValueOwnership struct{ Key string }

// Shares is the holder.
func (v ValueOwnership) Shares(key, value string) ([]Share, error) {
	if v.Key != "" && v.Key != key {
		return nil, nil
	}
	return []Share{{Holder: value, Count: 1}}, nil
}

// HashOwnership is the view of a lock that is one hash: each field names a
// holder, and its value is how often, or how much, it holds. It is that of
// re-entrant locks, of semaphores that remember who took permits, and of
// read-write locks whose fields tell writers by a prefix.
type HashOwnership struct {
	// Key is the name of the hash.
	Key string
	// Besides are the fields that name no holder, such as a mode or a sum.
	Besides []string
	// Writers is the prefix of the fields that are writers' shares; empty, there
	// are none. Readers is that of the others, which is left out of their names
	// too.
	Writers, Readers string
}

// Shares are those of the fields, in their order.
func (h HashOwnership) Shares(key, value string) ([]Share, error) {
	if h.Key != key {
		return nil, nil
	}
	pairs, err := pairsOf("hash", key, value)
	if err != nil {
		return nil, err
	}
	var shares []Share
	for _, p := range pairs {
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
	// Key is the name of the sorted set.
	Key string
	// Start is what the node's clock showed at the beginning of the run. A clock
	// that jumps makes another of it: scores are then off by as much.
	Start time.Time
	// Writers and Readers are as in [HashOwnership].
	Writers, Readers string
}

// Shares are those of the members, in their order.
func (z SortedSetOwnership) Shares(key, value string) ([]Share, error) {
	if z.Key != key {
		return nil, nil
	}
	pairs, err := pairsOf("zset", key, value)
	if err != nil {
		return nil, err
	}
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

// pairsOf reads "kind[a 1 b 2]". Names with a space in them cannot be told
// apart, and are an error if they show.
func pairsOf(kind, key, value string) ([][2]string, error) {
	inside, ok := strings.CutPrefix(value, kind+"[")
	inside, end := strings.CutSuffix(inside, "]")
	if !ok || !end {
		return nil, fmt.Errorf("key %q is %q: want a %s", key, value, kind)
	}
	items := strings.Split(inside, " ")
	if len(items)%2 != 0 {
		return nil, fmt.Errorf("key %q is %q: want pairs, of names without spaces", key, value)
	}
	var pairs [][2]string
	for i := 0; i < len(items); i += 2 {
		pairs = append(pairs, [2]string{items[i], items[i+1]})
	}
	return pairs, nil
}
