package stage

import (
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Fault is one kind of fault.
type Fault struct {
	// Name is the name of the parameter that sets how often the fault may strike in a run,
	// such as "pauses". Most is the largest value of that parameter.
	Name string
	Most int
	// EachServer is set if that parameter is per independent server ([Params.Servers]).
	EachServer bool
	// About describes the parameter.
	About string
	// One names one deviation by the fault in an exhaustive search, and Many several; the
	// lengths follow. These texts and About may use the store's terms: see [Terms].
	One, Many string
	// Lasts returns the lengths of time that the fault may last, given how long clients wait; nil if it has none.
	Lasts func(Params, Timing) Lengths
	// Classes returns its variants if these are not lengths of time. More is a further
	// deviation that the fault allows, empty for none.
	Classes func(Params, Terms) []string
	More    string
	// Needs names the parameter that is missing for the fault to strike, or returns "";
	// nil if it needs none. The text may use the store's terms.
	Needs func(Params) string
	// Lacks names the capability that the servers lack, or returns ""; nil if the fault
	// strikes in every store. The text may use the store's terms.
	Lacks func(Cluster) string
	// Resets is set if the fault resets connections.
	Resets bool
	// Inject lets the fault strike up to budget times in a run. It is called during set-up of the world. Faults of the network
	// have Late instead, which selects the segments to delay.
	Inject func(s *Stage, budget int)
	Late   func(s *Stage, budget int) sim.Lateness
	// Kinds are the kinds of its decisions. Describe describes the effect of a choice of such a decision, empty if it is unknown.
	Kinds    []sim.Kind
	Describe func(*Choice) string
}

// Terms are a store's own nouns. In texts of faults and scenarios they replace {store},
// {node}, {serving}, {follower} and {record}.
type Terms struct {
	model.Terms
	// Kept describes the data with which a node may restart, the least loss first, such as "with all of its data".
	Kept []string
	// Way is how a lock reaches the store, such as "the options of its client".
	Way string
}

// Fill replaces the placeholders of [model.Terms.Fill], and {kept} by all of Kept, as alternatives.
func (t Terms) Fill(text string) string {
	return t.Terms.Fill(strings.ReplaceAll(text, "{kept}", wording.Or(t.Kept)))
}
