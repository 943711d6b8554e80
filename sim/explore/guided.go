package explore

import (
	"math/rand/v2"
	"slices"

	"github.com/lockpick-dev/lockpick/sim"
)

// guided plans faults by the sites of the protocol. A plan is a list of strikes,
// and the noise of all other decisions (orders, latencies). The ideas:
//
//   - A plan is drawn from the trail of a real run, the calm one first, so its
//     strikes can happen, and every place has been seen.
//   - It is fair to places, not to decisions. A client that polls passes the same
//     site a hundred times, and its release passes others once: a strike is
//     narrowed down by some dimensions of the site in random order, each to one
//     of the values that it has there. This is sampling by classes, as in
//     combinatorial testing (Kuhn et al., "Software fault interactions", 2004).
//   - Real faults are single (spots) or last for a while (regimes): one segment is
//     late, or all of one link are. A spot is a single decision, a little blurred,
//     since the strikes before it may change the run. A regime leaves the dimensions of
//     time free, and often ends only with the budget of faults. A bug that takes
//     several faults of the same sort is then one draw away; independent faults would
//     each have to be drawn.
//   - Faults concentrate: in most plans all of them strike one process.
//   - A bug that takes faults of several kinds is found sooner if each kind spends
//     its budget, in different stretches of the work: see scatter.
//   - A fault does more harm early in a run, since the rest of the run follows it;
//     spots lean towards the beginning.
//   - A bug that one or two faults show is found early in a block, unless further
//     faults hide it. So if a run can take three faults of a kind, the first plans of a
//     block are sparse, and most later ones are dense: see odds.
//   - Code after a fault is run seldom, and is often wrong. Some plans follow an
//     earlier run up to a place that few runs have passed, and strike there: see
//     branch.
//   - Schedules with a new feature of their outcome are extended: one keeps its noise
//     and its strikes and gets another strike, drawn from its own trail. So guided
//     finds a bug step by step, like a coverage-guided fuzzer. Strikes bind to sites,
//     so they find their places again in a run that has changed.
//   - Schedules with a request that few runs make are extended as well: see seldom.
type guided struct {
	rng     *rand.Rand
	runs    []*parent // in their order; the first is calm
	corpus  []*parent // those that showed something new
	seen    map[uint64]bool
	tried   map[[3]uint64]int // the number of faults of a kind at a value of a dimension
	budget  int               // the most faults that a run took
	budgets map[uint64]int    // the same, by kind
	visits  map[place]visits  // of a site
	orders  int               // the decisions about orders in the last runs
	learnt  int               // the number of runs of the block that it has learnt from, including those of others
	many    bool              // runs have many kinds of faults
	odds    odds              // of the next plan
	seldom  seldom            // the requests that few runs make
	last    *plan
}

// parent is a run to draw strikes from, and to extend.
type parent struct {
	*plan
	trail  []passing
	picked int
}

// passing is a decision about a fault in a run.
type passing struct {
	place
	options, option int
}

// The probabilities of guided's choices, in percent.
const (
	fromRecent  = 30 // draw a plan from any run, not the calm one
	oneVictim   = 66 // let everything happen to one process
	regimes     = 40 // let a strike be a regime
	fewerTasks  = 50 // scatter faults over some tasks, not all
	sameOption  = 50 // let scattered faults of a kind be alike
	sameActor   = 50 // let a scattered fault come with the same sort of event
	firstTime   = 50 // let it strike when its place is first passed
	goesOn      = 90 // scatter the rest of the budget behind a branch
	earlySpots  = 50 // place a spot nearer to the beginning
	blurred     = 70 // leave a dimension of a spot free, other than those of the task
	mixed       = 85 // scatter faults of several kinds, where there are many
	ownVictim   = 70 // give each of many kinds a victim of its own
	plansDenser = 85 // let a plan be dense, after the first schedules
)

// mostPlanned is the most faults that are planned, per kind if they are scattered,
// without those of regimes.
const mostPlanned = 6

func newGuided(seed uint64, first int) strategy { return learner(draws(GuidedStrategy, seed, first)) }

func learner(rng *rand.Rand) *guided {
	return &guided{rng: rng, odds: sparse, seen: map[uint64]bool{}, tried: map[[3]uint64]int{}, budgets: map[uint64]int{}, visits: map[place]visits{}, seldom: seldom{at: map[uint64]int{}}}
}

// percent returns true with a probability of n percent.
func (s *guided) percent(n int) bool { return s.rng.IntN(100) < n }

// Next plans a schedule: the first without faults, the second with all that a run can
// take, which shows the budgets, and each further one afresh or from an earlier one.
func (s *guided) Next() sim.Tape {
	often := s.howOften()
	s.odds = sparse
	switch {
	case len(s.runs) == 0:
		s.last = &plan{noise: s.noise()}
	case len(s.runs) == 1:
		s.last = &plan{noise: s.noise(), strikes: []strike{everywhere}}
	case s.learnt >= sparseFirst && s.seldom.has() && s.percent(extends):
		s.last = s.extend(s.seldom.pick())
	case s.percent(often.branches):
		s.last = s.branch()
	case len(s.corpus) > 0 && s.percent(often.buildOn):
		s.last = s.mutate(s.pick())
	default:
		if often == denser && s.percent(plansDenser) {
			s.odds = denser
		}
		s.last = s.afresh()
	}
	// A plan that extends another has its noise, and so its size.
	return newSized(newPlanTape(s.last), GuidedStrategy, s.last.noise.seed, 0)
}

// The styles of plans.
const (
	oneRegime = iota
	onlySpots
	mixture
	scattered
)

func (s *guided) style() int {
	switch n := s.rng.IntN(100); {
	case n < 25:
		return oneRegime
	case n < 25+s.odds.spots:
		return onlySpots
	case n < 55:
		return mixture
	}
	return scattered
}

func (s *guided) noise() noise {
	return noise{seed: s.rng.Uint64(), order: s.rng.IntN(4), jitter: s.rng.IntN(4), orders: max(s.orders, 1)}
}

// afresh returns a plan that does not extend another.
func (s *guided) afresh() *plan {
	p := &plan{noise: s.noise()}
	n := min(s.budget+1, mostPlanned)
	if !s.percent(s.odds.dense) {
		n = 1 + s.rng.IntN(n)
	}
	trail := s.runs[0].trail
	if s.percent(fromRecent) {
		trail = s.runs[s.rng.IntN(len(s.runs))].trail
	}
	style := s.style()
	if mixes(trail) {
		trail = s.someKinds(trail)
		if s.percent(mixed) {
			style = scattered
		}
	}
	victim := uint64(0)
	if len(trail) > 0 && s.percent(oneVictim) {
		victim = trail[s.rng.IntN(len(trail))].place[byProcess]
	}
	switch style {
	case scattered:
		p.strikes = s.scatter(trail, victim, s.budgets)
		return p
	case oneRegime:
		if kinds := kindsOf(trail); s.odds.eachKind > 0 && len(kinds) > 1 && s.percent(s.odds.eachKind) {
			p.strikes = s.regimes(trail, kinds, victim)
			return p
		}
		n = 1
	}
	for n > 0 {
		k, ok := s.strike(trail, victim, n, style == oneRegime || style == mixture && s.percent(50))
		if !ok {
			break
		}
		n -= k.times
		p.strikes = append(p.strikes, k)
	}
	return p
}

// mutate returns another schedule's plan with one more strike, with one strike
// replaced, or with other noise.
func (s *guided) mutate(q *parent) *plan {
	p := &plan{strikes: slices.Clone(q.strikes), first: q.first, noise: q.noise}
	how := s.rng.IntN(8)
	if how == 0 {
		p.noise = s.noise()
		return p
	}
	if how < 3 && len(p.strikes) > 1 {
		i := s.rng.IntN(len(p.strikes))
		p.strikes = slices.Delete(p.strikes, i, i+1)
		if i < p.first {
			p.first--
		}
	}
	if k, ok := s.strike(q.trail, 0, 2, s.percent(regimes)); ok {
		p.strikes = append(p.strikes, k)
	}
	return p
}

// pick chooses from the corpus: of three at random the one that was picked
// least.
func (s *guided) pick() *parent {
	best := s.corpus[s.rng.IntN(len(s.corpus))]
	for range 2 {
		if p := s.corpus[s.rng.IntN(len(s.corpus))]; p.picked < best.picked {
			best = p
		}
	}
	best.picked++
	return best
}

// strike draws a strike of about the given number of faults from a trail, at the victim
// if it is not 0. It returns false if every fault in the trail has struck.
func (s *guided) strike(trail []passing, victim uint64, faults int, regime bool) (strike, bool) {
	d := &draft{guided: s}
	for i := range trail {
		if trail[i].option == 0 {
			d.left = append(d.left, &trail[i])
		}
	}
	if len(d.left) == 0 {
		return strike{}, false
	}
	if !regime || !s.percent(s.odds.anyKind) {
		d.narrow(byKind, 0)
	}
	if victim != 0 && slices.ContainsFunc(d.left, func(p *passing) bool { return p.place[byProcess] == victim }) {
		d.fix(byProcess, victim)
	}
	if regime {
		d.regime(faults)
	} else {
		d.spot()
	}
	options := 2
	for _, p := range d.left {
		options = max(options, p.options)
	}
	d.option = 1 + s.rng.IntN(options-1)
	return d.strike, true
}

// draft is an unfinished strike.
type draft struct {
	*guided
	strike
	left []*passing // the passings of the trail that it covers
}

// regime makes the draft strike many times.
func (d *draft) regime(faults int) {
	list := []int{byProcess, byTask, byActor, byEvent}
	d.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for _, dim := range list[:1+d.rng.IntN(len(list))] {
		d.narrow(dim, 0)
	}
	if d.percent(d.odds.startsLater) {
		d.skip = d.rng.IntN(1 + d.rng.IntN(len(d.left)))
	}
	d.times = 2 + d.rng.IntN(faults)
	if d.percent(d.odds.endless) {
		d.times = 1 << 30
	}
	d.perTask = d.percent(d.odds.oncePerTask)
}

// spot makes the draft strike once, at one decision.
func (d *draft) spot() {
	for _, i := range d.rng.Perm(dims - 1)[:d.rng.IntN(dims)] {
		d.narrow(i+1, 2)
	}
	at := d.rng.IntN(len(d.left))
	if d.percent(earlySpots) {
		at = d.rng.IntN(at + 1)
	}
	p := d.left[at]
	for dim := range dims {
		if dim < byActor || d.percent(100-blurred) {
			d.fix(dim, p.place[dim])
		}
	}
	d.skip, d.times = slices.Index(d.left, p), 1
}

// narrow fixes a dimension to one of the remaining values: the one where faults struck
// least, of a few drawn at random.
func (d *draft) narrow(dim, others int) {
	if d.fixed[dim] {
		return
	}
	var values []uint64
	for _, p := range d.left {
		if !slices.Contains(values, p.place[dim]) {
			values = append(values, p.place[dim])
		}
	}
	kind := d.left[0].place[byKind]
	tried := func(v uint64) int { return d.tried[[3]uint64{kind, uint64(dim), v}] }
	v := values[d.rng.IntN(len(values))]
	for range others {
		if u := values[d.rng.IntN(len(values))]; tried(u) < tried(v) {
			v = u
		}
	}
	d.fix(dim, v)
}

// fix fixes a dimension to a value.
func (d *draft) fix(dim int, v uint64) {
	d.fixed[dim], d.at[dim] = true, v
	d.left = slices.DeleteFunc(d.left, func(p *passing) bool { return p.place[dim] != v })
}

// Learn keeps the trail of a run that guided planned, and notes whether it showed
// something new. From runs of other strategies it learns what is not new.
func (s *guided) Learn(o *Outcome, taken []Taken) {
	_, orders := lengths(taken)
	s.orders = max(orders, s.orders*9/10)
	if s.learnt++; s.learnt <= sparseFirst && !s.many {
		s.many = manyFaults(taken)
	}
	fresh := false
	for _, f := range o.Features {
		if !s.seen[f] {
			s.seen[f], fresh = true, true
		}
	}
	s.seldom.count(o.Served, s.last)
	passed := s.spent(taken)
	if s.last == nil {
		return
	}
	p := &parent{plan: s.last, trail: make([]passing, 0, passed)}
	s.last = nil
	for i := range taken {
		d := &taken[i]
		if !isFault(d.Kind) || isCourse(&d.Decision) {
			continue
		}
		at := placeOf(&d.Decision)
		p.trail = append(p.trail, passing{at, d.Options, d.Option})
		if d.Option != 0 {
			for dim, v := range at {
				s.tried[[3]uint64{at[byKind], uint64(dim), v}]++
			}
		}
	}
	s.runs = append(s.runs, p)
	s.seldom.made(o.Served, p)
	s.visit(p.trail)
	if fresh {
		s.corpus = append(s.corpus, p)
	}
}

// spent learns from a run how many faults a run can have. It returns the number of decisions about
// faults.
func (s *guided) spent(taken []Taken) (passed int) {
	struck, byKinds := 0, map[uint64]int{}
	for i := range taken {
		if !isFault(taken[i].Kind) || isCourse(&taken[i].Decision) {
			continue
		}
		passed++
		if taken[i].Option != 0 {
			kind := placeOf(&taken[i].Decision)[byKind]
			struck++
			byKinds[kind]++
			s.budgets[kind] = max(s.budgets[kind], byKinds[kind])
		}
	}
	s.budget = max(s.budget, struck)
	return passed
}
