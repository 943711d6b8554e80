package envelope

import (
	"context"
	"fmt"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// Needs is the answer for one that operates a lock: which lease goes with a pause and a round trip.
type Needs struct {
	// At has the pause, the round trip, the hold and the error of the clock; its lease does not count.
	At     Point
	Bounds Bounds
	Border
	// Wrong is the result at Found, nil if there is no border.
	Wrong *Result
	// Rule is the lock's, nil if it has none.
	Rule *Rule
	// Fenced is set if the lock's leases have tokens.
	Fenced bool

	search *Search
}

// Needs looks for the border between leases.
func (s *Search) Needs(ctx context.Context, at Point, b Bounds, f Facts) (*Needs, error) {
	n := &Needs{At: at, Bounds: b, Rule: f.Rule, Fenced: f.Fenced, search: s}
	plan := Plan{Plane: Plane{Y: Lease}, YBounds: b}
	var err error
	n.Border, err = Bisect(b.Low, b.High, plan.Within(), kinds[Lease].grain, func(lease int64) (bool, error) {
		r, err := s.At(ctx, at.With(Lease, lease))
		return err == nil && r.Found(), err
	})
	if err == nil && n.Exists {
		n.Wrong, err = s.At(ctx, at.With(Lease, n.Found))
	}
	return n, err
}

// Lease returns the lease that the lock needs: the least at which nothing was found, or the rule's if that is longer. It is 0 if no
// such lease is known.
func (n *Needs) Lease() int64 {
	if !n.Exists || !n.LowFound() {
		return 0
	}
	least := n.None
	if n.Rule != nil {
		least = max(least, Lease.rounded(n.Rule.Lease(n.At)+ms))
	}
	return least
}

// Sentence is the answer.
func (n *Needs) Sentence() string {
	runs := wording.GroupedCount(n.search.Runs, "schedule")
	between := fmt.Sprintf("any lease from %s to %s", Lease.Text(n.Bounds.Low), Lease.Text(n.Bounds.High))
	text := n.have() + ": "
	switch {
	case n.Everywhere:
		return text + fmt.Sprintf("%s was violated with the shortest and with the longest lease, %s: this lock needs a longer lease, or a fence.", n.search.named(), between)
	case !n.Exists && n.Fenced:
		return text + fmt.Sprintf("none found in %s at either end of the leases, %s to %s. This lock has a fence: the resource refuses those that are late.",
			runs, Lease.Text(n.Bounds.Low), Lease.Text(n.Bounds.High))
	case !n.Exists:
		return text + fmt.Sprintf("none found in %s at either end of the leases, %s to %s.", runs, Lease.Text(n.Bounds.Low), Lease.Text(n.Bounds.High))
	case !n.LowFound():
		return text + fmt.Sprintf("%s was violated with a lease of %s, and not in %s with one of %s. A longer lease does not help this lock.",
			n.search.named(), Lease.Text(n.Found), runs, Lease.Text(n.None))
	}
	text += fmt.Sprintf("this lock needs a lease of at least %s, or a fence. ", Lease.Text(n.Lease()))
	text += fmt.Sprintf("With %s %s was violated, with %s not in %s", Lease.Text(n.Found), n.search.named(), Lease.Text(n.None), runs)
	if n.Rule != nil {
		text += fmt.Sprintf("; the formula asks for more than %s", Lease.Text(Lease.rounded(n.Rule.Lease(n.At))))
	}
	return text + "."
}

// have lists what the operator has.
func (n *Needs) have() string {
	var list []string
	shown, _ := n.search.Axes() // the cell has been made before
	for _, a := range shown {
		if a == Lease || a == Drift && n.At[a] == 0 {
			continue
		}
		is := ""
		if len(list) == 0 {
			is = "is "
		}
		list = append(list, "your "+a.Title()+" "+is+a.Text(n.At[a]))
	}
	return wording.Capital(wording.And(list))
}
