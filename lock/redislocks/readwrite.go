package redislocks

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// ReadWrite is a lock of many readers or one writer, like Redisson's
// RedissonReadWriteLock: a hash with a count for each holder. Readers and writers
// may take it again. A writer may read as well, and become a reader by giving up
// the writer's lock. A reader is refused the writer's lock with [lock.ErrUpgrade].
// It waits as [Reentrant] does.
//
// Each holder has a lease of its own, whose end is kept in a sorted set by the
// server's clock; Redisson has a key for each. The lock is free when the
// longest has run out.
//
// It guarantees that a writer is alone, as long as holders respect Until, Redis
// keeps acknowledged writes, and its clock does not jump. What breaks it is what
// breaks Reentrant, in the same scenarios. It prefers readers: while readers keep
// coming before the last one has left, no writer gets it (progress).
//
// Commands: acquire 1 a try, release 1. Without contention the server executes 11
// for both, including those of their scripts.
//
// Defaults: a lease of 30 s.
type ReadWrite struct {
	reader, writer rwSide
	waits          *subscription
}

type rwSide struct{ *reentry }

// NewReadWrite returns a locker for the lock of the given name, which is the key of
// the hash; the sorted set is "{name}:ends". It keeps a connection while a caller
// waits; Close ends that. It is safe for concurrent use.
func NewReadWrite(client scriptClient, name string, options Options) *ReadWrite {
	o := options.withDefaults()
	channel, id := scripts.Beside(name, "released"), rand.Text()
	waits := newSubscription(client, channel, o.Clock, o.random())
	waits.broadcast = true // one message may let all readers in, or one writer
	side := func(prefix string, acquire *redis.Script) rwSide {
		l := newReentry(&rwStore{
			client: client, keys: []string{name, scripts.Beside(name, "ends")}, channel: channel,
			prefix: prefix, acquire: acquire,
		}, waits, id, o)
		return rwSide{l}
	}
	l := &ReadWrite{reader: side("r:", scripts.RWRead), writer: side("w:", scripts.RWWrite), waits: waits}
	l.reader.named = true
	l.reader.related, l.writer.related = l.writer.reentry, l.reader.reentry
	return l
}

// Reader returns the shared lock of the readers. Its leases can be extended and say
// until when they are valid.
func (l *ReadWrite) Reader() lock.Locker { return l.reader }

// Writer returns the exclusive lock of a writer. Its leases can be extended and say
// until when they are valid.
func (l *ReadWrite) Writer() lock.Locker { return l.writer }

// Close ends the subscription and makes waiters return [lock.ErrClosed]. It
// releases no lease; leases can be released after it.
func (l *ReadWrite) Close() error { return l.waits.Close() }

// rwStore is the store of one side of the lock, the readers' or the writers'.
type rwStore struct {
	client  redis.Scripter
	keys    []string
	channel string
	prefix  string
	acquire *redis.Script
}

func (s *rwStore) take(ctx context.Context, holder string, count int, ttl time.Duration) (answer, error) {
	reply := s.acquire.Run(ctx, s.client, s.keys, scripts.Millis(ttl), holder, count)
	if reply.Val() == "upgrade" {
		return answer{}, fmt.Errorf("%w: %w", lock.ErrUpgrade, lock.ErrNotAcquired)
	}
	return taken(reply)
}

func (s *rwStore) give(ctx context.Context, holder string, count int, ttl time.Duration) (bool, error) {
	return given(scripts.RWRelease.Run(ctx, s.client, s.keys, scripts.Millis(ttl), s.prefix+holder, count, s.channel))
}

func (s *rwStore) renew(ctx context.Context, holder string, ttl time.Duration) (bool, error) {
	n, err := scripts.RWRenew.Run(ctx, s.client, s.keys, scripts.Millis(ttl), s.prefix+holder).Int()
	return n == 1, err
}

func (s *rwStore) has(ctx context.Context, holder string) (bool, error) {
	return scripts.RWHas.Run(ctx, s.client, s.keys, s.prefix+holder).Bool()
}

func (s *rwStore) abandon(ctx context.Context, holder string) error {
	_, err := s.give(ctx, holder, 0, time.Millisecond)
	return err
}
