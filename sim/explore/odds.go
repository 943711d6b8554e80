package explore

// odds are the probabilities of those of guided's choices that depend on the density of
// its plans, in percent.
type odds struct {
	branches    int // go the way of another schedule and strike at a rare place
	buildOn     int // go on from a schedule that showed something new
	spots       int // make a plan of spots only
	eachKind    int // plan a regime of each kind in place of one
	anyKind     int // let a regime be of all kinds of faults
	endless     int // let a regime last until the budget is spent
	startsLater int // let a regime begin later than with the first passing
	oncePerTask int // let a regime strike once in each task
	dense       int // plan as many faults as a run can take
}

// Sparse plans find bugs that one or two faults show, and that further faults would
// hide. Dense plans find bugs that take three faults or more sooner: their regimes
// mostly strike once in each task, to the end, and often there is one of each kind.
var (
	sparse = odds{branches: 25, buildOn: 10, spots: 10, anyKind: 30, endless: 50, startsLater: 50, oncePerTask: 30, dense: 75}
	denser = odds{branches: 10, buildOn: 5, spots: 3, eachKind: 60, anyKind: 50, endless: 80, startsLater: 70, oncePerTask: 85, dense: 92}
)

// sparseFirst is the number of schedules of a block that have sparse plans only. If no
// kind has more than fewFaults faults, no plan is dense: it would only hide bugs that
// one fault shows.
const (
	sparseFirst = 32
	fewFaults   = 2
)

// howOften returns the odds of the next schedule. If there are many kinds of faults,
// plans are never dense: faults of some of the kinds are enough.
func (s *guided) howOften() odds {
	if s.learnt < sparseFirst || s.many {
		return sparse
	}
	for _, n := range s.budgets { // unordered: whether there is one
		if n > fewFaults {
			return denser
		}
	}
	return sparse
}

// regimes returns a regime of each kind, at the victim if it is not 0.
func (s *guided) regimes(trail []passing, kinds []uint64, victim uint64) (strikes []strike) {
	for _, kind := range kinds {
		if k, ok := s.strike(ofKind(trail, kind), victim, max(s.budgets[kind], 1), true); ok {
			strikes = append(strikes, k)
		}
	}
	return strikes
}
