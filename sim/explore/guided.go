package explore

import (
	"math/rand/v2"

	"github.com/lockpick-dev/lockpick/sim"
)

// guided learns. It keeps two things of what it has seen.
//
// The sites: a tree of the places of the protocol at which a fault could
// strike, from the large (the kind of fault, the actor) to the small (how far a
// process is in its task), and how often one did strike in each part. A client
// that polls passes the same site a hundred times, and its release passes
// others once. Faults are planned from the root down, at each fork for the part
// that was tried less, so that rare places get their share; and a plan may stop
// on the way and mean all of a part, and several strikes in a row there, since
// real faults come in bursts.
//
// The corpus: the schedules that showed something new (a feature of their
// outcome). Some of the time it takes one of them, up to some place, and goes on
// from there, so that a bug which needs several faults is come by step by step,
// as a coverage-guided fuzzer comes by it.
type guided struct {
	rng    *rand.Rand
	root   *part
	seen   map[uint64]bool
	corpus []*parent
}

// part is a part of the tree of sites.
type part struct {
	under    *part
	key      uint64
	parts    map[uint64]*part
	order    []*part // of their first being seen
	options  int     // of the decisions here, at most
	most     int     // how often a run has passed here, at most
	passing  int     // how often the present run has
	tried    int     // how often a fault has struck here
	presence int     // the last run that passed
}

func (p *part) sub(key uint64) *part {
	s := p.parts[key]
	if s == nil {
		s = &part{under: p, key: key, parts: map[uint64]*part{}}
		p.parts[key] = s
		p.order = append(p.order, s)
	}
	return s
}

// path are the parts of the tree that a decision is in.
func path(d *sim.Decision) [siteDepth]uint64 {
	var kind sim.Digest
	kind.String(string(d.Kind))
	return [...]uint64{kind.Sum(), uint64(d.Site.Actor), d.Site.Event, d.Site.Task, uint64(d.Site.Step)}
}

const siteDepth = 5

// parent is a schedule to build on.
type parent struct {
	choices Lenient
	length  int // in decisions
	picked  int // how often it was built on
}

func newGuided(seed uint64, first int) Strategy { return learner(draws(GuidedStrategy, seed, first)) }

func learner(rng *rand.Rand) *guided {
	return &guided{rng: rng, root: &part{parts: map[uint64]*part{}}, seen: map[uint64]bool{}}
}

// Next plans strikes, afresh or on top of a schedule of the corpus.
func (s *guided) Next() sim.Tape {
	if len(s.root.order) == 0 {
		return newSwarmTape(s.rng) // nothing is known yet
	}
	t := &guidedTape{rng: s.rng, jitter: s.rng.IntN(4) > 0, shuffle: s.rng.IntN(4) > 0}
	if len(s.corpus) > 0 && s.rng.IntN(4) == 0 {
		p := s.pick()
		t.base, t.until = p.choices, s.rng.IntN(p.length+1)
	}
	for range few(s.rng) {
		t.plan = append(t.plan, s.plan())
	}
	return t
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

// plan chooses where, when and how often a fault shall strike.
func (s *guided) plan() *strikes {
	at := s.root
	var keys []uint64
	for depth := 0; len(at.order) > 0; depth++ {
		if depth >= 2 && s.rng.IntN(3) == 0 {
			break // anywhere in this part
		}
		next := at.order[s.rng.IntN(len(at.order))]
		if other := at.order[s.rng.IntN(len(at.order))]; other.tried < next.tried {
			next = other
		}
		at = next
		keys = append(keys, at.key)
	}
	p := &strikes{keys: keys, option: 1 + s.rng.IntN(max(at.options-1, 1)), times: 1}
	if s.rng.IntN(2) == 0 {
		p.skip = s.rng.IntN(max(at.most, 1))
	}
	if s.rng.IntN(2) == 0 {
		p.times = 1 + few(s.rng)
	}
	return p
}

// Learn notes the sites that the run passed, and keeps the run if it showed
// something new.
func (s *guided) Learn(o *Outcome, taken []Taken) {
	s.root.presence++
	for i := range taken {
		if d := &taken[i]; IsFault(d.Kind) {
			s.note(d)
		}
	}
	fresh := false
	for _, f := range o.Features {
		if !s.seen[f] {
			s.seen[f], fresh = true, true
		}
	}
	if fresh {
		w := Watched{Taken: taken}
		s.corpus = append(s.corpus, &parent{choices: NewLenient(w.Choices()), length: len(taken)})
	}
}

// note adds a decision to the tree.
func (s *guided) note(d *Taken) {
	at := s.root
	for _, key := range path(&d.Decision) {
		at = at.sub(key)
		if at.presence != s.root.presence {
			at.presence, at.passing = s.root.presence, 0
		}
		at.passing++
		at.most = max(at.most, at.passing)
		at.options = max(at.options, d.Options)
		if d.Option != 0 {
			at.tried++
		}
	}
}

// strikes are faults to come: in a part of the tree of sites, from some passing
// on, so many times.
type strikes struct {
	keys   []uint64
	option int
	skip   int
	times  int
}

// guidedTape is a schedule: that of a parent up to some decision, then random
// orders and latencies or calm ones, and strikes.
type guidedTape struct {
	rng             *rand.Rand
	base            Lenient
	until, asked    int
	jitter, shuffle bool
	plan            []*strikes
}

// Choose answers a decision.
func (t *guidedTape) Choose(d sim.Decision) int {
	t.asked++
	fault := IsFault(d.Kind)
	if fault {
		if option := t.struck(&d); option != 0 {
			return option
		}
	}
	switch {
	case t.asked <= t.until:
		return t.base.Choose(d)
	case fault:
		return 0
	case d.Kind == sim.Seed, d.Kind == sim.Latency && t.jitter, d.Kind == sim.Order && t.shuffle:
		return t.rng.IntN(d.Options)
	case d.Kind == sim.Latency, d.Kind == sim.Order:
		return 0
	}
	panic(unknownKind(GuidedStrategy, d))
}

// struck is the strike that is due here, 0 if none is.
func (t *guidedTape) struck(d *sim.Decision) int {
	where := path(d)
	for _, p := range t.plan {
		if p.times == 0 || !p.covers(&where) {
			continue
		}
		if p.skip > 0 {
			p.skip--
			continue
		}
		p.times--
		return min(p.option, d.Options-1)
	}
	return 0
}

func (p *strikes) covers(where *[siteDepth]uint64) bool {
	for i, key := range p.keys {
		if where[i] != key {
			return false
		}
	}
	return true
}
