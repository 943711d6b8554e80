package stage

import (
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Fault is one kind of thing that can go wrong.
type Fault struct {
	// Name is the name of the parameter for how often it may strike in a run, such as
	// "pauses"; Most is the largest value of that parameter.
	Name string
	Most int
	// About says what the parameter is.
	About string
	// One is what an exhaustive search calls a deviation by it, and Many those by
	// several; how long it lasts follows. Both this and About may name things of the
	// store: see [Terms].
	One, Many string
	// Lasts is for how long it lasts where clients wait so long, nil if it does not go
	// by time.
	Lasts func(Params, Timing) Lengths
	// Classes says of what kinds it may be, if not of the lengths that it lasts;
	// More is another deviation that comes with it, empty for none.
	Classes func(Params, Terms) []string
	More    string
	// Needs says what is missing if it cannot strike with these parameters, empty if
	// nothing is; nil means that nothing can be. It may name things of the store.
	Needs func(Params) string
	// Lacks says what the servers cannot do that it takes to strike them, empty if they
	// can; nil means that it strikes in every store. It may name things of the store.
	Lacks func(Cluster) string
	// Resets is set if connections are reset by it.
	Resets bool
	// Inject lets it strike up to so many times in a run. It is called while the
	// world is set up; Late is for faults of the network instead, and says which
	// segments are held back.
	Inject func(s *Stage, budget int)
	Late   func(s *Stage, budget int) sim.Lateness
	// Kinds are the kinds of its decisions, and Tell says what a choice of one of
	// these did, empty if that is not known.
	Kinds []sim.Kind
	Tell  func(*Telling) string
}

// Terms are what things are called in a store. In texts of faults and scenarios these
// stand for them, in braces: {store}, {node}, {serving}, {follower}, {record}.
type Terms struct {
	model.Terms
	// Kept says with what a node may come back that restarts, the least loss first,
	// such as "with all of its data".
	Kept []string
	// Way is how a lock reaches the store, such as "the options of its client".
	Way string
}
