package stage

import (
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Fault is one kind of fault.
type Fault struct {
	// Name is the name of the parameter that sets how often it may strike in a run, such as
	// "pauses". Most is the largest value of that parameter.
	Name string
	Most int
	// About describes the parameter.
	About string
	// One names one deviation by the fault in an exhaustive search, and Many several; the
	// lengths follow. These texts and About may use the store's terms: see [Terms].
	One, Many string
	// Lasts are the lengths of time that it may last, given how long clients wait; nil if
	// it has none.
	Lasts func(Params, Timing) Lengths
	// Classes are its variants if these are not lengths of time. More is another deviation
	// that comes with it, empty for none.
	Classes func(Params, Terms) []string
	More    string
	// Needs says which parameter is missing for it to strike, empty if none; nil if it
	// needs none. The text may use the store's terms.
	Needs func(Params) string
	// Lacks says which capability the servers lack, empty if none; nil if it strikes in
	// every store. The text may use the store's terms.
	Lacks func(Cluster) string
	// Resets is set if the fault resets connections.
	Resets bool
	// Inject lets it strike up to budget times in a run. It is called during set-up of the
	// world. Faults of the network have Late instead, which says which segments are
	// delayed.
	Inject func(s *Stage, budget int)
	Late   func(s *Stage, budget int) sim.Lateness
	// Kinds are the kinds of its decisions. Describe describes the effect of a choice of such a
	// decision, empty if it is unknown.
	Kinds    []sim.Kind
	Describe func(*Choice) string
}

// Terms are a store's names for things. In texts of faults and scenarios they replace
// {store}, {node}, {serving}, {follower} and {record}.
type Terms struct {
	model.Terms
	// Kept describes the data with which a node may restart, the least loss first, such as
	// "with all of its data".
	Kept []string
	// Way is how a lock reaches the store, such as "the options of its client".
	Way string
}

// Fill replaces what [model.Terms.Fill] does, and {kept} by all of Kept, as alternatives.
func (t Terms) Fill(text string) string {
	return t.Terms.Fill(strings.ReplaceAll(text, "{kept}", wording.Or(t.Kept)))
}
