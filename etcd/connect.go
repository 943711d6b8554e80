package etcd

import (
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/lockpick-dev/lockpick/scenarios"
	etcdstore "github.com/lockpick-dev/lockpick/scenarios/etcd"
)

// Store is etcd: one cluster of three or five members, which replicate by majority.
var Store = etcdstore.Store

// Connect returns a client of a scenario's client process, which reaches all members of the
// cluster. It is closed when the run has ended; nobody else may close it. [Config] says in
// what it differs from the library's default.
//
// A lease of scenarios.Client.TTL has that time to live if it is a second or more, in whole
// seconds.
func Connect(c *scenarios.Client) *clientv3.Client {
	client, err := New(c.Process(), c.Addresses())
	if err != nil {
		panic("etcd: " + err.Error()) // there are no addresses: the store is another one
	}
	c.Cleanup(func() { _ = client.Close() })
	return client
}
