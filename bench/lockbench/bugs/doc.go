// Package bugs has the bugs of lockbench, one file each. A file adds its bug in an init function.
package bugs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/cell"
)

var all []*trial.Bug

// All returns the bugs, by their IDs.
func All() []*trial.Bug {
	list := slices.Clone(all)
	slices.SortFunc(list, func(a, b *trial.Bug) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// add adds a bug.
func add(b trial.Bug) { all = append(all, &b) }

// named returns the lock with an ID.
func named(list []cell.Lock, id string) cell.Lock {
	i := slices.IndexFunc(list, func(l cell.Lock) bool { return l.ID == id })
	if i < 0 {
		panic(fmt.Sprintf("bugs: there is no lock %q", id))
	}
	return list[i]
}
