package redis

import (
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Universal makes a go-redis client for the topology of the run: a client of the primary's stable address, a
// failover client ([FailoverClient]) or a cluster client ([ClusterClient]). It is closed when the run has
// ended, and may be closed earlier. Edit, if it is not nil, may set time-outs and retries: the fields
// DialTimeout, ReadTimeout, WriteTimeout, MaxRetries, MinRetryBackoff and MaxRetryBackoff; others are not
// used.
func Universal(h cell.Host, edit func(*redis.UniversalOptions)) redis.UniversalClient {
	c := h.AsClient().Reach(Store.ID(), "redis.Store")
	u := &redis.UniversalOptions{}
	if edit != nil {
		edit(u)
	}
	switch c.Setting(stage.Topology) {
	case Sentinel:
		return FailoverClient(c, func(o *redis.FailoverOptions) {
			o.DialTimeout, o.ReadTimeout, o.WriteTimeout = u.DialTimeout, u.ReadTimeout, u.WriteTimeout
			o.MaxRetries, o.MinRetryBackoff, o.MaxRetryBackoff = u.MaxRetries, u.MinRetryBackoff, u.MaxRetryBackoff
		})
	case Cluster:
		return ClusterClient(c, func(o *redis.ClusterOptions) {
			o.DialTimeout, o.ReadTimeout, o.WriteTimeout = u.DialTimeout, u.ReadTimeout, u.WriteTimeout
			o.MaxRetries, o.MinRetryBackoff, o.MaxRetryBackoff = u.MaxRetries, u.MinRetryBackoff, u.MaxRetryBackoff
		})
	}
	o := Options(c)
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout = u.DialTimeout, u.ReadTimeout, u.WriteTimeout
	o.MaxRetries, o.MinRetryBackoff, o.MaxRetryBackoff = u.MaxRetries, u.MinRetryBackoff, u.MaxRetryBackoff
	client := redis.NewClient(o)
	c.Cleanup(func() { _ = client.Close() })
	return client
}
