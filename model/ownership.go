package model

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Ownership finds the holders of a lock in its records, for locks that consist of more
// than one value under one key. It knows only the layout of the records.
type Ownership interface {
	// Shares returns the shares that the records of one authority grant at one
	// moment. It gets all records, in the order of their keys, whenever one of them
	// has changed, including those that grant nothing, such as a counter or a
	// queue. It is also called with the records of followers, for what they would
	// grant as authorities. A record that it cannot read is an error.
	//
	// It depends on its argument alone, and does not change or keep it. It must be
	// safe for concurrent use.
	//
	// Each share names the record that it rests on. It belongs to the acquisition whose
	// request has written the holder's name there, as long as the record names the
	// holder and Shares grants it. A record that waits behind another grants its share
	// when the other is gone. A request may also write the name of another holder, who
	// waits: a Release that hands the lock over, or a client that finds the lock free
	// and gives it to the first in the queue. Such a share belongs to the waiting
	// acquisition that wrote the name before, into any key; or else to the only
	// acquisition that succeeds while the name is there. If there is no such
	// acquisition or several, the owner of the share is unknown, and no client is
	// blamed for its end.
	Shares(records []Record) ([]Share, error)
}

// OwnershipFunc is an [Ownership] that is a function.
type OwnershipFunc func(records []Record) ([]Share, error)

// Shares calls the function.
func (f OwnershipFunc) Shares(records []Record) ([]Share, error) { return f(records) }

// RecordOwnership is an [Ownership] that reads each record by itself. The shares that
// it returns rest on that record.
type RecordOwnership func(r Record) ([]Share, error)

// Shares calls the function for each record, and stops at the first error.
func (f RecordOwnership) Shares(records []Record) ([]Share, error) {
	var all []Share
	for i := range records {
		shares, err := f(records[i])
		if err != nil {
			return nil, err
		}
		for k := range shares {
			shares[k].Key = records[i].Key
		}
		if all == nil {
			all = shares
			continue
		}
		all = append(all, shares...)
	}
	return all, nil
}

// Share is one holder's part of a lock.
type Share struct {
	// Key is the key of the record that it rests on.
	Key string
	// Holder is the holder's name in the record: a value, a field, a member, or the
	// key itself. A record may name a holder once as a reader and once as a writer.
	Holder string
	// Count is the number of entries or permits.
	Count int64
	// Write is set on a writer's share of a read-write lock.
	Write bool
	// Until is the end of the share by the authority's clock, in the run's time; 0
	// if it ends with its record.
	Until time.Duration
}

// HashOwnership is the view of a lock that is one hash: each field names a holder,
// and its value is the holder's count. It fits re-entrant locks, semaphores that
// record the holders of permits, and read-write locks whose fields mark writers by
// a prefix.
type HashOwnership struct {
	// Key is the name of the hash; if empty, all hashes are the lock's.
	Key string
	// Besides lists fields that name no holder, such as a mode or a sum.
	Besides []string
	// Writers is the prefix of the fields that are writers' shares; if empty, there
	// are none. Readers is the prefix of the others. Holders' names omit both.
	Writers, Readers string
}

// Shares returns the shares of the fields, in their order.
func (h HashOwnership) Shares(records []Record) ([]Share, error) {
	return RecordOwnership(h.ofRecord).Shares(records)
}

func (h HashOwnership) ofRecord(r Record) ([]Share, error) {
	if h.Key != "" && h.Key != r.Key || r.Value.Type != "hash" {
		return nil, nil
	}
	var shares []Share
	for _, p := range r.Value.pairs() {
		if slices.Contains(h.Besides, p[0]) {
			continue
		}
		n, err := strconv.ParseInt(p[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("field %q of hash %q is %q: want a count", p[0], r.Key, p[1])
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

// SortedSetOwnership is the view of a lock that is one sorted set: each member names a
// permit or a holder, and its score is its end, in milliseconds since 1970 by the
// node's clock. An ended member remains until a later request removes it. A share whose
// Until has passed does not count, though the key still has it.
type SortedSetOwnership struct {
	// Key is the name of the sorted set; if empty, all are the lock's.
	Key string
	// Start is the reading of the node's clock at the beginning of the run. After a
	// jump of the clock, scores are off by as much.
	Start time.Time
	// Writers and Readers are as in [HashOwnership].
	Writers, Readers string
}

// Shares returns the shares of the members, in their order.
func (z SortedSetOwnership) Shares(records []Record) ([]Share, error) {
	return RecordOwnership(z.ofRecord).Shares(records)
}

func (z SortedSetOwnership) ofRecord(r Record) ([]Share, error) {
	if z.Key != "" && z.Key != r.Key || r.Value.Type != "zset" {
		return nil, nil
	}
	pairs := r.Value.pairs()
	shares := make([]Share, 0, len(pairs))
	for _, p := range pairs {
		millis, err := strconv.ParseFloat(p[1], 64)
		if err != nil {
			return nil, fmt.Errorf("the score of %q in sorted set %q is %q: want milliseconds", p[0], r.Key, p[1])
		}
		s := HashOwnership{Writers: z.Writers, Readers: z.Readers}.share(p[0], 1)
		s.Until = time.UnixMicro(int64(millis * 1000)).Sub(z.Start)
		shares = append(shares, s)
	}
	return shares, nil
}

// SequenceOwnership is the view of a lock with a record for each client that wants
// it, held by the first in the order of these records. That is the recipe of
// ZooKeeper (ephemeral sequential znodes under a parent) and of etcd (keys under a
// prefix with a lease each). The holder of a share is the record's key.
type SequenceOwnership struct {
	// Prefix is the prefix of the keys of the lock's records, such as the path of
	// the parent with its slash.
	Prefix string
	// ByRevision orders records by [Record].Revision. Otherwise they are ordered by
	// the number at the end of their keys.
	ByRevision bool
	// Holders is the number of clients that may have the lock at once; 0 stands for
	// 1.
	Holders int
}

// Shares returns the shares of the first records.
func (s SequenceOwnership) Shares(records []Record) ([]Share, error) {
	type numbered struct {
		key    string
		number int64
	}
	var room [8]numbered
	queue := room[:0]
	for i := range records {
		if r := &records[i]; strings.HasPrefix(r.Key, s.Prefix) {
			n, err := s.number(r)
			if err != nil {
				return nil, err
			}
			queue = append(queue, numbered{r.Key, n})
		}
	}
	slices.SortStableFunc(queue, func(a, b numbered) int { return cmp.Compare(a.number, b.number) })
	var shares []Share
	for _, r := range queue[:min(len(queue), max(s.Holders, 1))] {
		shares = append(shares, Share{Key: r.key, Holder: r.key, Count: 1})
	}
	return shares, nil
}

// number returns the record's place in the order.
func (s SequenceOwnership) number(r *Record) (int64, error) {
	if s.ByRevision {
		if r.Revision == 0 {
			return 0, fmt.Errorf("record %q has no revision", r.Key)
		}
		return r.Revision, nil
	}
	digits := r.Key[len(strings.TrimRight(r.Key, "0123456789")):]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("record %q does not end with a number", r.Key)
	}
	return n, nil
}
