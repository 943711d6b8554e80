package locktest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/locktest/internal/testbinary"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// An Option configures a [Check] or an [Explore].
type Option func(*settings)

// Only restricts the search to the named scenarios.
func Only(names ...string) Option { return func(s *settings) { s.only = append(s.only, names...) } }

// With adds scenarios to those of Lockpick. The added ones are searched, shrunk, kept and
// replayed in the same way. [Only] and [Expect] may name them. A scenario may have faults
// of its own in its budget. Ids of built-in scenarios are refused, and so are names of
// built-in faults and parameters. Package scenarios has an example.
func With(list ...*Scenario) Option {
	return func(s *settings) { s.added = append(s.added, list...) }
}

// Properties restricts judging to the properties with these ids; see [checker.IDs].
func Properties(ids ...string) Option {
	return func(s *settings) { s.properties = append(s.properties, ids...) }
}

// Judge also judges a property of your own, in every run. Its findings fail the test, and are shrunk, explained and drawn
// like those of the checker's own properties. [Properties] does not exclude it. The id and the letter of a built-in
// property are refused. If its Verdict function panics, the test fails with the panic, and still reports its other
// findings.
//
// Verdict runs in the worker processes, for each schedule: it should depend on the history alone, and be fast.
func Judge(p checker.Property) Option {
	return func(s *settings) { s.judged = append(s.judged, p) }
}

// Runs sets the number of schedules per scenario, at least 1. The flag -simrun.runs
// overrides it. Under -short it is at most [ShortRuns], and the time of the call is limited ([ShortTime]).
func Runs(n int) Option {
	return func(s *settings) {
		s.runs = n
		if n < 1 {
			s.complain("Runs(%d): want at least 1", n)
		}
	}
}

// Seed sets the seed of the searches; the default is 1. The same seed gives the same
// schedules. The flag -simrun.seed overrides it.
func Seed(n uint64) Option { return func(s *settings) { s.seed = n } }

// Clients sets the number of client processes, from 1 to 16, instead of each scenario's
// own.
func Clients(n int) Option {
	return func(s *settings) { s.set(fmt.Sprintf("Clients(%d)", n), "clients", fmt.Sprint(n)) }
}

// Threads sets the number of threads per client process, from 1 to 8. They share the Locker that the constructor made.
// Without it most runs have one, and some two. More are useful for locks that have state inside the process or that track
// owners; 1 is for a Locker that threads do not share.
//
// After a pause the threads resume one after another. If a thread resumes several goroutines at once, as with a quorum
// lock, their order is not controlled. A lock for which it matters, such as one whose goroutines draw from math/rand, is
// reported as nondeterministic.
func Threads(n int) Option {
	return func(s *settings) {
		s.set(fmt.Sprintf("Threads(%d)", n), "threads", fmt.Sprint(n))
		s.ofLocks("Threads", "its Main starts goroutines")
	}
}

// Ownership sets how to read the lock's owner from the store's records. A lock needs it if its record is more than one
// value under one key, such as a hash with a field per holder ([model.HashOwnership]) or a queue of keys
// ([model.SequenceOwnership]). Without it, properties that compare clients' answers with the records do not apply to such
// a lock.
func Ownership(view model.Ownership) Option {
	return func(s *settings) {
		s.ownership = view
		s.ofLocks("Ownership", "its Readings say how to find the holders of the locks that it watches")
	}
}

// Renews declares that the lock renews its leases while they are held. Its clients then hold it for longer than a lease in
// watchdog-late, and in some runs of the other scenarios. A lock over ZooKeeper, or one that lives with a connection to MySQL
// or PostgreSQL, does not need it: their client libraries keep sessions alive. A lock over etcd does, if it keeps its lease alive.
func Renews() Option {
	return func(s *settings) {
		s.renews = true
		s.ofLocks("Renews", "it holds its locks for as long as its Main does")
	}
}

// On sets the lock's store; see [cell.Lock].Store. Scenarios are skipped, with the reason, if none of their faults can
// strike that store.
func On(store stage.Store) Option {
	return func(s *settings) {
		if s.ofLocks("On", "its Stores name them"); !s.isProgram {
			s.store = store
		}
	}
}

// Nodes sets the number of independent servers, from 1 to 9, for quorum locks, if the
// store has them.
func Nodes(n int) Option {
	return func(s *settings) { s.set(fmt.Sprintf("Nodes(%d)", n), "nodes", fmt.Sprint(n)) }
}

// Topology sets how the servers of the store are deployed, if there are several ways. For Redis: "sentinel", three
// sentinels that watch a primary and its replicas, or "cluster", a Redis Cluster of three shards. Without it, clients have
// one stable address that leads to the primary.
func Topology(name string) Option {
	return func(s *settings) { s.set(fmt.Sprintf("Topology(%q)", name), stage.Topology, name) }
}

// Param sets a parameter of the scenarios, as `simrun run --param NAME=VALUE` does, such as how often a fault may strike.
// `simrun list -v` lists them. The other parameters keep their values.
func Param(name, value string) Option {
	return func(s *settings) { s.set(fmt.Sprintf("Param(%q, %q)", name, value), name, value) }
}

// TTL sets the lease that the lock should request, from 100 ms to 10 s, instead of each scenario's own. No run has a
// longer one. Hold times and lengths of faults scale with it. In lost-wakeup only these change: the lease is always a
// minute.
func TTL(d time.Duration) Option {
	return func(s *settings) {
		s.set(fmt.Sprintf("TTL(%v)", d), "ttl", d.String())
		s.ttlGiven = true
	}
}

// Rounds sets how often each thread acquires and releases the lock, from 1 to 50, instead of
// each scenario's own number, which is 2. One run in eight has one or two rounds more.
func Rounds(n int) Option {
	return func(s *settings) {
		s.set(fmt.Sprintf("Rounds(%d)", n), "rounds", fmt.Sprint(n))
		s.ofLocks("Rounds", "its Main decides how often it does something")
	}
}

// LongHolds sets for how many leases longer clients hold a lock that is kept alive, from 0 to 16: one that renews its
// leases ([Renews]), or lives with a session that the client library keeps alive. The default is the scenario's: 4 in
// watchdog-late, 0 in the others. Without it, some clients in some runs hold such a lock for up to one and a half leases.
func LongHolds(n int) Option {
	return func(s *settings) {
		s.set(fmt.Sprintf("LongHolds(%d)", n), "long-holds", fmt.Sprint(n))
		s.ofLocks("LongHolds", "it holds its locks for as long as its Main does")
	}
}

// Bound searches exhaustively instead of by a strategy: every schedule with at most k deviations from the calm run, k from
// 0 to 20. A bound that needs more than [BoundRuns] schedules, or more than Runs if that is set, is not begun; the result
// is then inconclusive. A select takes its ready cases in the order of the source; only strategies try other orders.
func Bound(k int) Option {
	return func(s *settings) {
		s.bound = &k
		if k < 0 || k > maxBound {
			s.complain("Bound(%d): want 0 to %d", k, maxBound)
		}
	}
}

// Expect declares that the lock violates the property in the scenario. The violation does not fail the test; its absence
// does. Expectations for scenarios that do not run are ignored. Under -short the search of such a scenario has as many
// schedules as without, but ends after [ShortRuns] as soon as it has found all expected violations.
func Expect(scenario, property string) Option {
	return func(s *settings) { s.expected = append(s.expected, expectation{scenario, property}) }
}

// Strict makes limits of leases fail as well, for a lock that promises more than a lease.
func Strict() Option { return func(s *settings) { s.strict = true } }

// The default numbers of schedules per scenario.
const (
	DefaultRuns = hunt.DefaultSchedules
	// ShortRuns is the number under go test -short, and ShortTime the processor time of the worker processes of a call of
	// Check there.
	ShortRuns = 200
	ShortTime = 25 * time.Second
	// BoundRuns is the largest number of schedules of a [Bound]; a larger bound is not
	// begun.
	BoundRuns = hunt.DefaultLimit
)

// maxBound is far above any bound that can be searched.
const maxBound = 20

// expectation is a violation that the search must find.
type expectation struct{ scenario, property string }

// settings are the options of a Check or an Explore.
type settings struct {
	only       []string
	properties []string
	judged     []checker.Property // besides the checker's own
	runs       int                // 0 for the default
	ttlGiven   bool               // by TTL
	seed       uint64
	added      []*cell.Scenario
	params     []traces.Parameter
	asked      []string // the options that set params, for messages
	bound      *int
	expected   []expectation
	strict     bool
	ownership  model.Ownership
	renews     bool
	store      stage.Store // nil if it is not named
	isProgram  bool        // the subject is a program, which has its stores and rules
	rules      []program.Rule
	variants   []cell.Lock // of the program
	wrong      []error
	// seedFlag and runsFlag are set if the flag is given.
	seedFlag, runsFlag bool
	time, wall         time.Duration // the limits of a Check: of processor time, and by the clock on the wall; 0 for none
	part               testbinary.Part
}

func (s *settings) complain(format string, args ...any) {
	s.wrong = append(s.wrong, fmt.Errorf(format, args...))
}

// ofLocks refuses an option about locks in a test of a program. instead is what a program has in its place.
func (s *settings) ofLocks(option, instead string) {
	if s.isProgram {
		s.complain("%s is an option of locks, and the subject is a program: %s", option, instead)
	}
}

// set sets a parameter of the scenarios for an option.
func (s *settings) set(option, name, value string) {
	s.params, s.asked = append(s.params, traces.Parameter{Name: name, Value: value}), append(s.asked, option)
}

// newSettings applies the options and the flags. The error lists all mistakes.
func newSettings(opts []Option) (settings, error) {
	s := settings{seed: hunt.DefaultSeed}
	for _, o := range opts {
		o(&s)
	}
	if err := s.useFlags(); err != nil {
		s.wrong = append(s.wrong, err)
	}
	if err := checker.Validate(s.judged); err != nil {
		s.wrong = append(s.wrong, err)
	}
	if err := s.validScenarios(); err != nil {
		return s, errors.Join(append(s.wrong, err)...)
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
		if s.properties != nil && !slices.Contains(s.properties, e.property) && checker.Known(e.property) {
			s.complain("Expect(%q, %q): Properties leaves %s out", e.scenario, e.property, e.property)
		}
	}
	for i, p := range s.params {
		if s.store == nil {
			break // its settings are unknown
		}
		c := cell.Cell{Lock: cell.Lock{Store: s.store}}
		if err := c.Set(p.Name, p.Value); err != nil {
			s.complain("%s: %w", s.asked[i], err)
		}
	}
	return s, errors.Join(s.wrong...)
}

// validScenarios returns an error if the added scenarios are wrong.
func (s *settings) validScenarios() error {
	if s.store == nil {
		return scenarios.Validate(s.added)
	}
	return scenarios.Validate(s.added, s.store)
}

// useFlags applies the flags.
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
	limit, err := testbinary.Time()
	switch {
	case err != nil:
		return err
	case s.bound != nil: // a limit of an exhaustive search is its number of schedules
	case limit.CPU.Given:
		s.time = limit.CPU.Duration
	case testing.Short() && !s.runsFlag:
		s.time = ShortTime
	}
	if s.bound == nil {
		s.wall = limit.Wall.Duration
	}
	if s.part, err = testbinary.AskedPart(); err != nil {
		return err
	}
	return s.validPart()
}

// validPart refuses settings that a shard or a merge cannot have.
func (s *settings) validPart() error {
	flag := "-simrun.shard"
	switch {
	case s.part.Merge != "":
		flag = "-simrun.merge"
	case s.part.Shard.Of == 0:
		return nil
	}
	switch {
	case s.bound != nil:
		return nil
	case s.short():
		return fmt.Errorf("%s: with -short a search is too small to share, and ends with its time: leave out -short, or set the number of schedules by -simrun.runs", flag)
	case s.time > 0, s.wall > 0:
		return fmt.Errorf("%s: shards search all of their parts, and %s would end some of them: leave it out", flag,
			cmp.Or(nonZero("-simrun.time=", s.time), nonZero("-simrun.time=wall=", s.wall)))
	}
	return nil
}

// nonZero returns a flag with its value, "" for 0.
func nonZero(name string, d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("%s%v", name, d)
}

func (s *settings) known(scenario string) {
	if _, err := scenarios.Registry(nil, s.added...).Scenario(scenario); err != nil {
		s.wrong = append(s.wrong, err)
	}
}

func (s *settings) judgeable(property string) {
	ids := checker.IDs()
	for i := range s.judged {
		ids = append(ids, s.judged[i].ID)
	}
	for i := range s.rules {
		ids = append(ids, s.rules[i].ID())
	}
	if !slices.Contains(ids, property) {
		s.complain("%s", wording.Unknown("property", property, ids))
	}
}

// schedules returns the number of schedules of a scenario. -short does not reduce it if a violation is expected: enough
// ends such a search.
func (s *settings) schedules(scenario string) int {
	runs := s.runs
	if runs == 0 {
		runs = DefaultRuns
	}
	if s.short() && len(s.expecting(scenario)) == 0 {
		runs = min(runs, ShortRuns)
	}
	return runs
}

// short reports whether -short limits the search.
func (s *settings) short() bool { return testing.Short() && !s.runsFlag }

// expecting returns the properties that the scenario is expected to violate.
func (s *settings) expecting(scenario string) (properties []string) {
	for _, e := range s.expected {
		if e.scenario == scenario {
			properties = append(properties, e.property)
		}
	}
	return properties
}

// enough returns a function that ends the search of a scenario once everything expected is found, nil if it must not end
// early.
func (s *settings) enough(scenario string) func(*explore.Summary) bool {
	if !s.short() || len(s.expecting(scenario)) == 0 {
		return nil
	}
	return s.enoughOf(scenario)
}

// enoughOf reports whether everything expected of the scenario is found, after as many schedules as others have.
func (s *settings) enoughOf(scenario string) func(*explore.Summary) bool {
	expecting := s.expecting(scenario)
	return func(sum *explore.Summary) bool {
		return sum.Schedules >= ShortRuns && !slices.ContainsFunc(expecting, func(property string) bool {
			return sum.Violations[model.Violation{Property: property}] == 0 && sum.Violations[model.Violation{Property: property, Limit: true}] == 0
		})
	}
}

// limit returns the maximum number of schedules of an exhaustive search.
func (s *settings) limit() int {
	if s.runs == 0 {
		return BoundRuns
	}
	return s.runs
}

// scenarios returns the scenarios to search.
func (s *settings) scenarios() []*cell.Scenario {
	var list []*cell.Scenario
	for _, one := range scenarios.Registry(nil, s.added...).Scenarios {
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
