package flawed

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// RedlockOneCluster is Redlock on a Redis Cluster as it is often proposed: the majority is one of three keys of that
// cluster, "name:1" to "name:3", in place of three independent servers. It asks for one after the other. It is flawed.
//
// Guarantee: that of [redislocks.Redlock], as long as no shard fails over.
//
// What breaks it: the slots of the keys say on which shards they are, and two of three may be on one. When its master
// crashes before they are replicated, both are gone, and another client has a majority beside the first one's (scenario
// node-restart, property mutual-exclusion). Even on three shards the keys are not on
// independent servers: a shard that is down stops all of them, since a cluster without one of its slots serves none. One
// key of a cluster is as safe, and cheaper: [redislocks.SetPX].
//
// Commands: acquire 3 a try, release 3, one after the other. Defaults: those of SetPX.
type RedlockOneCluster struct {
	client  redis.Scripter
	keys    [3]string
	options polling.Options
}

// NewRedlockOneCluster returns a locker for the lock of the given name. It is safe for concurrent use if options.Rand is nil.
func NewRedlockOneCluster(client redis.Scripter, name string, options redislocks.Options) *RedlockOneCluster {
	l := &RedlockOneCluster{client: client, options: withDefaults(options)}
	for i := range l.keys {
		l.keys[i] = name + ":" + strconv.Itoa(i+1)
	}
	return l
}

// Acquire tries until two of the keys are this acquisition's, or ctx is done. An error leaves open whether keys are left.
func (l *RedlockOneCluster) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.options.Spin(ctx, l.try)
}

// try asks for each key. Without a majority in time, it gives back what it has.
func (l *RedlockOneCluster) try(ctx context.Context, value string, ttl time.Duration) (lock.Lease, error) {
	start, had := l.options.Clock.Now(), 0
	var errs []error
	for _, key := range l.keys {
		n, err := scripts.AddIfAbsent.Run(ctx, l.client, []string{key}, value, scripts.Millis(ttl)).Int()
		had += n
		errs = append(errs, err)
	}
	lease := &oneClusterLease{lock: l, value: value, until: start.Add(ttl - ttl/100 - 2*time.Millisecond)}
	if had >= 2 && l.options.Clock.Now().Before(lease.until) {
		return lease, nil
	}
	short, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_, _ = lease.delete(short)
	if ctx.Err() != nil || errs[0] != nil && errs[1] != nil || errs[2] != nil && (errs[0] != nil || errs[1] != nil) {
		return nil, errors.Join(append(errs, ctx.Err())...)
	}
	return nil, nil
}

// oneClusterLease is one acquisition.
type oneClusterLease struct {
	lock  *RedlockOneCluster
	value string
	until time.Time
}

// Until returns the end of the validity.
func (l *oneClusterLease) Until() time.Time { return l.until }

// delete deletes the keys that have the value, and returns how many had.
func (l *oneClusterLease) delete(ctx context.Context) (had int, err error) {
	var errs []error
	for _, key := range l.lock.keys {
		switch err := scripts.Delete(ctx, l.lock.client, key, l.value); {
		case err == nil:
			had++
		case !errors.Is(err, lock.ErrNotHeld):
			errs = append(errs, err)
		}
	}
	return had, errors.Join(errs...)
}

// Release deletes the keys. It returns [lock.ErrNotHeld] if the lease did not have two of them.
func (l *oneClusterLease) Release(ctx context.Context) error {
	had, err := l.delete(ctx)
	switch {
	case had >= 2:
		return nil
	case err != nil:
		return err
	}
	return lock.ErrNotHeld
}
