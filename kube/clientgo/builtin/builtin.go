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
		elector("elector", "client-go's leader election, as it is by default: the Lease is not released", electors.Options{}),
		elector("elector-release", "client-go's leader election with ReleaseOnCancel", electors.Options{ReleaseOnCancel: true}),
		elector("elector-release-own", "the same, whose lock does not release what is another's by now", electors.Options{ReleaseOnCancel: true, Wrap: electors.KeepSuccessor}),
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

func elector(id, summary string, o electors.Options) cell.Lock {
	return cell.Lock{
		ID: "kube-" + id, Summary: summary, Flawed: true, Renews: true, Store: kube.Store, Reading: cell.Reading{Ownership: kube.Holder(namespace)},
		Subject: cell.Mutex(func(c *cell.Client) lock.Locker { return Elector(c, o) }),
	}
}
