package cell

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// ErrNoStore is the error for a lock that names no store. There is no default store.
var ErrNoStore = errors.New("the lock names no store")

// NoStore returns an [ErrNoStore] that says what to add, for each store that this program was
// built with.
func NoStore() error {
	var lines []string
	for _, l := range stage.LinkedStores() {
		lines = append(lines, fmt.Sprintf("locktest.On(%[1]s) in a test, Store: %[1]s in a cell.Lock (package %[2]s)", l.Expression, l.Package))
	}
	switch len(lines) {
	case 0:
		return fmt.Errorf("%w: import the package of its store, below github.com/lockpick-dev/lockpick/stores or of a module of its own (github.com/lockpick-dev/lockpick/etcd), and add locktest.On with the package's Store", ErrNoStore)
	case 1:
		return fmt.Errorf("%w: add %s", ErrNoStore, lines[0])
	}
	return fmt.Errorf("%w: add one of\n    %s", ErrNoStore, strings.Join(lines, "\n    "))
}
