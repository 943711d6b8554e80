package explore

// odds are how often guided does what depends on how dense its plans are, in percent.
type odds struct {
	branches    int // go the way of another schedule and strike at a rare place
	buildOn     int // go on from a schedule that showed something new
	spots       int // let a plan have spots only
	eachKind    int // plan a regime of each kind in place of one
	anyKind     int // let a regime be of all kinds of faults
	endless     int // let a regime last until the budget is spent
	startsLater int // let a regime begin later than with the first passing
	oncePerTask int // let a regime strike once in each task
	dense       int // plan as many faults as a run can take
}

// Sparse plans find what one fault or two show, and what further faults would hide.
// Denser ones find sooner what three faults or more show: their regimes mostly strike
// once in each task, to the end, and there is often one of each kind.
var (
	sparse = odds{branches: 25, buildOn: 10, spots: 10, anyKind: 30, endless: 50, startsLater: 50, oncePerTask: 30, dense: 75}
	denser = odds{branches: 10, buildOn: 5, spots: 3, eachKind: 60, anyKind: 50, endless: 80, startsLater: 70, oncePerTask: 85, dense: 92}
)

// sparseFirst is how many schedules of a block have sparse plans only, and fewFaults
// how many faults of a kind are too few for dense plans, which would only hide what one
// fault shows.
const (
	sparseFirst = 32
	fewFaults   = 2
)

// howOften returns the odds of the next schedule. Where there are many kinds of faults,
// plans are never dense: they take some of the kinds, which is dense enough.
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

// regimes returns one of each kind, at one process if one is given.
func (s *guided) regimes(trail []passing, kinds []uint64, victim uint64) (strikes []strike) {
	for _, kind := range kinds {
		if k, ok := s.strike(ofKind(trail, kind), victim, max(s.budgets[kind], 1), true); ok {
			strikes = append(strikes, k)
		}
	}
	return strikes
}
