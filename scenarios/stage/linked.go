package stage

import (
	"cmp"
	"slices"
	"sync"
)

// Linked names a store that the program was built with.
type Linked struct {
	Expression string // such as somestore.Store
	Package    string // its import path
}

var linked struct {
	sync.Mutex
	list []Linked
}

// Link registers a store; the store's package calls it in an init function. The list is
// only for messages: a run has the store that its lock names.
func Link(expression, pkg string) {
	linked.Lock()
	defer linked.Unlock()
	linked.list = append(linked.list, Linked{Expression: expression, Package: pkg})
}

// LinkedStores returns the stores that the program was built with, by package.
func LinkedStores() []Linked {
	linked.Lock()
	defer linked.Unlock()
	return slices.SortedFunc(slices.Values(linked.list), func(a, b Linked) int { return cmp.Compare(a.Package, b.Package) })
}
