package builtin_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	etcd "github.com/lockpick-dev/lockpick/etcd/builtin"
	"github.com/lockpick-dev/lockpick/lab/builtin"
	main "github.com/lockpick-dev/lockpick/stores/builtin"
)

// TestElsewhere: a user of the main module's program who asks for a lock or a store of another module is shown which program has it, and
// nobody who asks for one that it has.
func TestElsewhere(t *testing.T) {
	own := main.Locks()
	for _, l := range slices.Concat(builtin.Locks(), etcd.Locks()) {
		here := slices.ContainsFunc(own, func(o cell.Lock) bool { return o.ID == l.ID })
		for _, id := range []string{l.ID, l.Store.ID()} {
			how := ""
			for name, text := range main.Elsewhere() { // unordered: one at most has the id
				if id == name || strings.HasPrefix(id, name+"-") {
					how = text
				}
			}
			if here != (how == "") || !here && !strings.Contains(how, "the locks over "+l.Store.ID()+" are in a module") {
				t.Errorf("%s: it says %q", id, how)
			}
		}
	}
}
