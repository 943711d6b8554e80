// Package builtin has the locks over Leases of Kubernetes that come with Lockpick, and what is expected of them.
package builtin

import (
	"net/http"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/kube"
	"github.com/lockpick-dev/lockpick/kube/kubelocks"
	"github.com/lockpick-dev/lockpick/kube/kubelocks/flawed"
	"github.com/lockpick-dev/lockpick/lock"
)

// namespace is that of the Leases.
const namespace = "default"

// Locks are the built-in locks over Kubernetes, in the order in which they are listed.
func Locks() []cell.Lock {
	return []cell.Lock{
		mutex("kube-lease", "a Lease that is taken if it has not changed for as long as its holder has it", kubelocks.NewLease),
		mutex("kube-lease-release-on-cancel", "kube-lease whose Acquire gives up what an unanswered request has taken", kubelocks.NewCancelledLease),
		mutex("kube-lease-fenced", "kube-lease with its number of transitions as a token", kubelocks.NewFencedLease),
		marked(compared("kube-lease-naive", "a Lease that is judged by the times in it, and patched without its version", flawed.NewNaiveLease)),
		marked(mutex("kube-lease-successor-released", "kube-lease whose release does not look whose Lease it is, as client-go's from v0.34 to v0.37", flawed.NewUnseenRelease)),
	}
}

// marked marks a lock that is known to fail.
func marked(l cell.Lock) cell.Lock {
	l.Flawed = true
	return l
}

// constructor makes a lock over Leases.
type constructor[L lock.Locker] func(client *http.Client, url, namespace, name string, o kubelocks.Options) L

// mutex is a lock that measures by the clock without jumps, as package time does.
func mutex[L lock.Locker](id, summary string, make constructor[L]) cell.Lock {
	return by((*cell.Client).Monotonic, id, summary, make)
}

// compared is a lock that compares its wall clock with the times in a Lease.
func compared[L lock.Locker](id, summary string, make constructor[L]) cell.Lock {
	return by((*cell.Client).Clock, id, summary, make)
}

func by[L lock.Locker](clock func(*cell.Client) clockwork.Clock, id, summary string, make constructor[L]) cell.Lock {
	return cell.Lock{
		ID: id, Summary: summary, Store: kube.Store, Renews: true, Reading: cell.Reading{Ownership: kube.Holder(namespace)},
		Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
			return make(kube.Connect(c), kube.URL, namespace, c.LockName(), kubelocks.Options{TTL: c.TTL(), Identity: c.Name(), Clock: clock(c)})
		}),
	}
}
