package builtin

import (
	"cmp"
	"fmt"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/kube"
	"github.com/lockpick-dev/lockpick/kube/clientgo"
	"github.com/lockpick-dev/lockpick/kube/clientgo/electors"
	"github.com/lockpick-dev/lockpick/lock"
)

// namespace is that of the Leases.
const namespace = "default"

// Locks are client-go's leader election as locks, in the order in which they are listed.
func Locks() []cell.Lock {
	return []cell.Lock{
		elector("elector", "client-go's leader election, as it is by default: the Lease is not released", func(*cell.Client) electors.Options {
			return electors.Options{}
		}),
		elector("elector-release", "client-go's leader election with ReleaseOnCancel", func(*cell.Client) electors.Options {
			return electors.Options{ReleaseOnCancel: true}
		}),
		elector("elector-careful", "kube-elector-release that releases its own Lease alone, with a time-out for requests", func(c *cell.Client) electors.Options {
			return electors.Options{ReleaseOnCancel: true, Wrap: electors.KeepSuccessor, Timeout: c.TTL() / 3}
		}),
	}
}

// Elector returns a lock of a client process. Its lease is the scenario's, unless the options have one.
func Elector(c *cell.Client, o electors.Options) lock.Locker {
	o.LeaseDuration, o.Identity = cmp.Or(o.LeaseDuration, c.TTL()), c.Name()
	e, err := electors.New(clientgo.Config(c), namespace, c.LockName(), o)
	if err != nil {
		panic(fmt.Sprintf("clientgo: %v", err))
	}
	return e
}

func elector(id, summary string, options func(*cell.Client) electors.Options) cell.Lock {
	return cell.Lock{
		ID: "kube-" + id, Summary: summary, Flawed: true, Renews: true, Store: kube.Store, Reading: cell.Reading{Ownership: kube.Holder(namespace)},
		Subject: cell.Mutex(func(c *cell.Client) lock.Locker { return Elector(c, options(c)) }),
	}
}
