// Command simrun is github.com/lockpick-dev/lockpick/cmd/simrun with the leader election of client-go, and the locks over Leases of
// package kubelocks.
package main

import (
	kube "github.com/lockpick-dev/lockpick/kube/builtin"
	clientgo "github.com/lockpick-dev/lockpick/kube/clientgo/builtin"
	"github.com/lockpick-dev/lockpick/simrun"
)

func main() {
	simrun.Main(
		simrun.Locks(kube.Locks()...), simrun.Families(kube.Families()...),
		simrun.Locks(clientgo.Locks()...), simrun.Families(clientgo.Families()...),
	)
}
