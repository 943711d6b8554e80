// Command simrun is simrun with the lease store.
package main

import (
	"github.com/lockpick-dev/lockpick/examples/ownstore"
	"github.com/lockpick-dev/lockpick/simrun"
)

func main() { simrun.Main(simrun.Locks(ownstore.Locks()...), simrun.Families(ownstore.Families()...)) }
