package stage

import (
	"cmp"
	"slices"
	"sync"
)

// Linked is a store that the program was built with, as code names it.
type Linked struct {
	Expression string // such as somestore.Store
	Package    string // its import path
}

var linked struct {
	sync.Mutex
	list []Linked
}

// Link is called by the package of each store when the program starts. The list only
// serves to say which stores there are: a run has the store that its lock names.
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
