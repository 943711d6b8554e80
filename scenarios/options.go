package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/internal/testbinary"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// An Option sets something of a [Check] or an [Explore].
type Option func(*settings)

// Only leaves out all scenarios but the named ones.
func Only(names ...string) Option { return func(s *settings) { s.only = append(s.only, names...) } }

// Properties judges the properties with these ids and no others; see
// [checker.IDs].
func Properties(ids ...string) Option {
	return func(s *settings) { s.properties = append(s.properties, ids...) }
}

// Runs is how many schedules there are of each scenario, from 1. The flag
// -simrun.runs overrides it. Under -short there are no more than [ShortRuns].
func Runs(n int) Option {
	return func(s *settings) {
		s.runs = n
		if n < 1 {
			s.complain("Runs(%d): want at least 1", n)
		}
	}
}

// Seed is the seed of the searches, 1 if not set: the same seed, the same
// schedules. The flag -simrun.seed overrides it.
func Seed(n uint64) Option { return func(s *settings) { s.seed = n } }

// Clients is how many client processes there are, from 1 to 16, in place of
// each scenario's own number.
func Clients(n int) Option { return func(s *settings) { s.set("clients", fmt.Sprint(n)) } }

// Threads is how many threads each client process has, from 1 to 8; they share
// the Locker that its constructor made. For locks that have a part within the
// process, or that go by who the owner is. After a pause they go on one after
// another. A thread that then goes on in several goroutines at once, as with a
// quorum lock, may do so in any order; where that makes a difference, such as in
// what they draw from math/rand, the lock is reported as nondeterministic.
func Threads(n int) Option { return func(s *settings) { s.set("threads", fmt.Sprint(n)) } }

// Ownership says how to read from the records of an authority who has the lock, for a lock
// that is more than one value under one key, such as a hash with a field for
// each holder ([model.HashOwnership]) or a queue of keys ([model.SequenceOwnership]). Without it the properties that compare what
// clients are told with who has the lock do not apply to such a lock.
func Ownership(view model.Ownership) Option { return func(s *settings) { s.ownership = view } }

// Renews says that the lock renews its leases for as long as they are held, so that
// clients rely on that: in watchdog-late they work for longer than a lease lasts.
func Renews() Option { return func(s *settings) { s.renews = true } }

// On says in which store the lock lives; see [Lock].Store. Scenarios of which no fault
// can strike there are skipped, with the reason.
func On(store stage.Store) Option { return func(s *settings) { s.store = store } }

// Nodes is how many independent servers there are, from 1 to 9, for locks
// that need most of several, where the store has such.
func Nodes(n int) Option { return func(s *settings) { s.set("nodes", fmt.Sprint(n)) } }

// TTL is the lease that the lock is told to ask for, from 100 ms to 10 s, in
// place of each scenario's own. How long clients work and faults last goes by
// it. In lost-wakeup only they do: the lease there is a minute.
func TTL(d time.Duration) Option { return func(s *settings) { s.set("ttl", d.String()) } }

// Bound searches exhaustively, in place of the strategy: every schedule with at
// most k deviations from calm, k from 0 to 20. A bound that would take more than
// [BoundRuns] schedules, or than Runs if that is set, is not begun, and the
// search is inconclusive then.
func Bound(k int) Option {
	return func(s *settings) {
		s.bound = &k
		if k < 0 || k > maxBound {
			s.complain("Bound(%d): want 0 to %d", k, maxBound)
		}
	}
}

// Expect says that the lock violates the property in the scenario. It does not
// fail for it, and fails if the violation is not found. Expectations in
// scenarios that are not run are not looked at, and -short does not shorten the
// others.
func Expect(scenario, property string) Option {
	return func(s *settings) { s.expected = append(s.expected, expectation{scenario, property}) }
}

// Strict makes violations of limits of leases fail as well, for a lock that
// promises more than a lease can.
func Strict() Option { return func(s *settings) { s.strict = true } }

// How many schedules there are of each scenario if nobody says.
const (
	DefaultRuns = 2000
	// ShortRuns is the number under go test -short.
	ShortRuns = 200
	// BoundRuns is how many there may be of an exhaustive search.
	BoundRuns = 100_000
)

// maxBound is far behind what can be searched.
const maxBound = 20

// expectation is a violation that must be found.
type expectation struct{ scenario, property string }

// setting is one parameter of the scenarios that was set.
type setting struct{ name, value string }

// settings are all that can be set of a Check.
type settings struct {
	only       []string
	properties []string
	runs       int // 0 for the default
	seed       uint64
	params     []setting
	bound      *int
	expected   []expectation
	strict     bool
	ownership  model.Ownership
	renews     bool
	store      stage.Store // nil for the default one
	wrong      []error
	// seedFlag and runsFlag are set if the flag says it.
	seedFlag, runsFlag bool
}

func (s *settings) complain(format string, args ...any) {
	s.wrong = append(s.wrong, fmt.Errorf(format, args...))
}

func (s *settings) set(name, value string) { s.params = append(s.params, setting{name, value}) }

// newSettings are the options with what the flags say, or what is wrong with
// them.
func newSettings(opts []Option) (settings, error) {
	s := settings{seed: 1}
	for _, o := range opts {
		o(&s)
	}
	if err := s.useFlags(); err != nil {
		s.wrong = append(s.wrong, err)
	}
	for _, name := range s.only {
		s.known(name)
	}
	for _, id := range s.properties {
		s.judgeable(id)
	}
	for _, e := range s.expected {
		s.known(e.scenario)
		s.judgeable(e.property)
		if s.properties != nil && !slices.Contains(s.properties, e.property) {
			s.complain("Expect(%q, %q): Properties leaves %s out", e.scenario, e.property, e.property)
		}
	}
	for _, p := range s.params {
		c := Cell{Lock: Lock{Store: s.store}}
		if err := c.Set(p.name, p.value); err != nil {
			s.wrong = append(s.wrong, err)
		}
	}
	return s, errors.Join(s.wrong...)
}

// useFlags sets what flags override.
func (s *settings) useFlags() error {
	seed, given, err := testbinary.Seed()
	if err != nil {
		return err
	}
	if given {
		s.seed, s.seedFlag = seed, true
	}
	runs, given, err := testbinary.Runs()
	if err != nil {
		return err
	}
	if given {
		s.runs, s.runsFlag = runs, true
	}
	return nil
}

func (s *settings) known(scenario string) {
	if _, err := Find(scenario); err != nil {
		s.wrong = append(s.wrong, err)
	}
}

func (s *settings) judgeable(property string) {
	if !checker.Known(property) {
		s.complain("there is no property %q; there are %v", property, checker.IDs())
	}
}

// schedules is how many schedules there are of a scenario. What is expected to be
// found there is looked for as long as ever.
func (s *settings) schedules(scenario string) int {
	runs := s.runs
	if runs == 0 {
		runs = DefaultRuns
	}
	expecting := slices.ContainsFunc(s.expected, func(e expectation) bool { return e.scenario == scenario })
	if testing.Short() && !s.runsFlag && !expecting {
		runs = min(runs, ShortRuns)
	}
	return runs
}

// limit is how many there may be of an exhaustive search.
func (s *settings) limit() int {
	if s.runs == 0 {
		return BoundRuns
	}
	return s.runs
}

// scenarios are those that are searched.
func (s *settings) scenarios() []*Scenario {
	var list []*Scenario
	for _, one := range All() {
		if s.only == nil || slices.Contains(s.only, one.ID) {
			list = append(list, one)
		}
	}
	return list
}

// expects reports whether a violation is expected.
func (s *settings) expects(scenario, property string) bool {
	return slices.Contains(s.expected, expectation{scenario, property})
}

// fails reports whether a violation fails the test.
func (s *settings) fails(scenario string, v model.Violation) bool {
	return !s.expects(scenario, v.Property) && (!v.Limit || s.strict)
}
