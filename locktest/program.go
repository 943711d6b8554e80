package locktest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Program is code that uses locks and stores: see [CheckProgram].
type Program = cell.Program

// Process is a process of a [Program], as its Main sees it.
type Process = cell.Process

// CheckProgram searches every scenario for runs in which a program breaks one of its rules, and fails
// if it finds one. It is [Check] for code that uses a lock, and its documentation applies: each
// scenario is a subtest, counterexamples are shrunk, explained, kept and replayed in the same way.
//
//	func TestRemindersAreSentOnce(t *testing.T) {
//		locktest.CheckProgram(t, locktest.Program{
//			Stores:    []locktest.Store{redis.Store},
//			Processes: 3,
//			Rules:     []program.Rule{program.AtMostOnce("no reminder is sent twice", "mail")},
//			Main: func(p *locktest.Process) error {
//				worker := reminders.Worker{Redis: redis.Connect(p), Send: func(id int64) { p.Effect("mail", id) }}
//				return worker.Run(p.Context())
//			},
//		})
//	}
//
// A broken rule fails the test whatever the reason: its author has declared it wrong. If it results from two holders of a
// lock that the program watches ([Process].Watch), the finding explains how the lock was lost. Properties of watched locks
// are judged as well: their faults fail the test, and limits of leases do not.
//
// The test also fails if a rule was not reached in any of the scenarios: then no schedule could have broken it. If -run or
// -failfast leaves scenarios out, the others are vacuous instead, and skipped.
//
// Options about locks are refused: [On], [Threads], [Rounds], [LongHolds], [Renews] and [Ownership].
func CheckProgram(t *testing.T, p Program, opts ...Option) {
	t.Helper()
	check(t, aProgram(p), append([]Option{programmed(p)}, opts...), calledAt())
}

// ExploreProgram searches like [CheckProgram] and returns its findings instead of failing, as
// [Explore] does.
func ExploreProgram(t *testing.T, p Program, opts ...Option) Report {
	t.Helper()
	return exploreSubject(t, aProgram(p), append([]Option{programmed(p)}, opts...))
}

// Store is a store: see package stage. Packages of stores have one; its methods may change in any version.
type Store = stage.Store

// programmed sets the settings of a program. aProgram reports its errors.
func programmed(p Program) Option {
	return func(s *settings) {
		s.isProgram = true
		s.rules = slices.Concat(program.Own(p.Finally != nil), p.Rules)
		if l, err := p.Lock(); err == nil {
			s.store = l.Store
		}
	}
}

// aProgram makes a program the subject of a test.
func aProgram(p Program) tested {
	return func(name string, s *settings) (cell.Lock, error) {
		p.ID = name
		if p.Summary == "" {
			p.Summary = "the program of a test"
		}
		list, err := p.Locks()
		if err != nil {
			return cell.Lock{}, err
		}
		s.variants = list[1:]
		return list[0], nil
	}
}

// demandReached fails for happenings that must occur in one of the scenarios and occurred in none. If scenarios or
// schedules were left out, those may reach them: then the searched scenarios are vacuous, and skipped unless they fail.
func (x *session) demandReached(t *testing.T, outcomes map[string]*outcome, whole bool) {
	t.Helper()
	schedules := 0
	for _, s := range x.searches {
		schedules += s.Schedules
	}
	var missing []string
	for name, n := range x.reached { // unordered: they are sorted
		if n == 0 {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	for _, name := range missing {
		text := fmt.Sprintf("vacuous: in none of %s it happened that %s: nothing that was searched can break the rule. "+
			"Does the program reach that place, with this text? Do the searched scenarios lead there?", wording.GroupedCount(schedules, "schedule"), name)
		if !whole {
			x.skipVacuous(outcomes, text+" Others, which were left out, may")
			return // one reason suffices
		}
		x.problems = append(x.problems, "lockpick: "+text)
		t.Error("lockpick: " + text)
	}
}

// skipVacuous makes the searched scenarios vacuous that neither fail nor are skipped.
func (x *session) skipVacuous(outcomes map[string]*outcome, text string) {
	for i := range x.searches {
		s := &x.searches[i]
		if o := outcomes[s.Scenario]; o != nil && !o.failed && o.skip == "" {
			o.skip = text
			x.vacuous = append(x.vacuous, s.Scenario+": "+text)
			if s.Result == explore.NoneFound || s.Result == explore.Exhausted {
				s.Result, s.Meaning = explore.Vacuous, text
			}
		}
	}
}
