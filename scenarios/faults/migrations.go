package faults

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// Decisions about migrations: which part of the records begins to move, from which server to which; before an event at
// one of the two, whether the operator takes the next step, or gives up; and whether the operator gives up when the
// other end already has the record to be moved.
const (
	migration      sim.Kind = "fault:migration"
	migrationStep  sim.Kind = "fault:migration-step"
	migrationTaken sim.Kind = "fault:migration-taken"
)

// Migrations move a part of the records from one server to another while clients use them, as an operator does who
// follows the rules: open the part, move one record after another, make the other server the owner when none is left,
// and inform the old owner. The operator may give up before moving a record, first at the old owner, then at the other
// end. Each step is taken before an event of one of the two ends, at the latest half a lease after the last step.
var Migrations = &stage.Fault{
	Name: "migrations", Most: 16,
	About: "how often a part of the {record}s may move from one server to another, step by step",
	One:   "a part of the {record}s that moves from one server to another",
	Many:  "parts of the {record}s that move from one server to another",
	More:  "when each step of a migration is taken, and whether it is given up",
	Lacks: unlessServer[stage.Migrating]("the {record}s of {store} do not move from one server to another"),
	Inject: func(s *stage.Stage, budget int) {
		s.Add(&migrations{Stage: s, actor: s.World.NewActor("migrations"), budget: budget})
	},
	Kinds:    []sim.Kind{migration, migrationStep, migrationTaken},
	Describe: describeMigration,
}

const (
	migrationOdds       = 25
	migrationStepOdds   = 3
	migrationForgetOdds = 20
	// mostSteps is the largest number of steps of a migration, without those that failed because a node was
	// down.
	mostSteps = 200
)

// The texts of its steps in the log.
const (
	faultMigration sim.FaultKind = "migration"
	faultMoves     sim.FaultKind = "migration moves a record"
	faultFinished  sim.FaultKind = "migration is finished"
	faultClosed    sim.FaultKind = "migration is over"
	faultGivenUp   sim.FaultKind = "migration is given up"
	faultForgotten sim.FaultKind = "migration is forgotten"
	faultGoesOn                  = "migration goes on"
)

type migrations struct {
	*stage.Stage
	actor  *sim.Actor
	budget int
	now    *moving // nil if there is none
}

// moving is a migration under way.
type moving struct {
	stage.Migration
	moved   bool // a record has been moved
	busy    bool // one is on its way
	replace bool // what the other end has is overwritten
	kept    bool // it is given up where the part comes from
	ended   bool // it is finished at the other end
	steps   int
}

// way is a migration that could begin.
type way struct {
	from, to *stage.Server
	part     string
}

// Before asks the tape whether a migration begins or goes on.
func (f *migrations) Before(e sim.Upcoming) bool {
	if f.now != nil {
		return f.step(e)
	}
	if f.budget == 0 {
		return false
	}
	ways := f.ways()
	if len(ways) == 0 {
		return false
	}
	option := f.ask(migration, 1+len(ways), migrationOdds)
	if option == 0 {
		return false
	}
	w := ways[option-1]
	m, err := w.from.Authority.(stage.Migrating).Migrate(w.part, w.to)
	if err != nil {
		return false // one of the two is down
	}
	f.budget--
	f.now = &moving{Migration: m}
	f.World.Fault(f.actor, faultMigration, 0)
	f.goOn(f.now)
	return true
}

func (f *migrations) ask(k sim.Kind, options, odds int) int {
	return f.World.Choose(sim.Decision{Kind: k, Actor: f.actor.Name(), Options: options, Odds: odds})
}

// ways returns the migrations that could begin.
func (f *migrations) ways() (list []way) {
	for _, from := range f.Cluster {
		m, can := from.Authority.(stage.Migrating)
		if !can {
			continue
		}
		for _, part := range m.Parts() {
			for _, to := range f.Cluster {
				if to != from && to.Of == from.Of {
					list = append(list, way{from, to, part})
				}
			}
		}
	}
	return list
}

// step asks the tape whether the next step is taken before an event.
func (f *migrations) step(e sim.Upcoming) bool {
	m := f.now
	from, to := m.Nodes()
	if m.busy || e.Kind == sim.EventFault || e.Actor != from.Actor() && e.Actor != to.Actor() {
		return false
	}
	options, odds := 2, migrationStepOdds
	switch {
	case m.mayKeep():
		options = 3
	case m.kept:
		odds = migrationForgetOdds
	}
	switch f.ask(migrationStep, options, odds) {
	case 1:
		f.next(m)
	case 2:
		f.keep(m)
	default:
		return false
	}
	return true
}

// mayKeep reports whether an operator who looks at the other end first may give up: it has no records that would be
// left behind.
func (m *moving) mayKeep() bool { return !m.kept && !m.ended && len(m.Arrived()) == 0 }

// goOn takes the next step after a while, unless the tape has taken one before.
func (f *migrations) goOn(m *moving) {
	steps := m.steps
	f.Later(f.actor, f.Params.TTL/2, faultGoesOn, func() {
		if f.now == m && m.steps == steps && !m.busy {
			f.next(m)
		}
		if f.now == m && m.steps < mostSteps {
			f.goOn(m)
		}
	})
}

// next takes the next step, if the nodes can.
func (f *migrations) next(m *moving) {
	m.steps++
	if m.ended {
		f.close(m)
		return
	}
	left, err := m.Left()
	switch {
	case m.kept:
		f.forget(m)
	case err != nil: // another node has replaced the serving one, and does not know of the migration
		m.kept = true
		f.forget(m)
	case len(left) > 0:
		f.move(m, left[0])
	case m.Finish() == nil:
		m.ended = true
		f.World.Fault(f.actor, faultFinished, 0)
	}
}

// close informs the old owner that the other end has the part.
func (f *migrations) close(m *moving) {
	if m.Close() == nil {
		f.World.Fault(f.actor, faultClosed, 0)
		f.now = nil
	}
}

// move moves a record. If the other end has one of that key, it is overwritten the next time, or the operator gives up.
func (f *migrations) move(m *moving, key string) {
	m.busy = true
	err := m.Move(key, m.replace, func(reason string) {
		m.busy = false
		switch {
		case reason == "":
			m.moved = true
		case m.moved || f.ask(migrationTaken, 2, 0) == 0:
			m.replace = true
		default:
			f.keep(m)
		}
	})
	if err != nil {
		m.busy = false
		return
	}
	f.World.Fault(f.actor, faultMoves, 0)
}

// keep gives up the migration at the old owner.
func (f *migrations) keep(m *moving) {
	m.steps++
	if m.Keep() == nil {
		m.kept = true
		f.World.Fault(f.actor, faultGivenUp, 0)
	}
}

// forget gives up the migration at the other end.
func (f *migrations) forget(m *moving) {
	if m.Forget() == nil {
		f.World.Fault(f.actor, faultForgotten, 0)
		f.now = nil
	}
}

// describeMigration describes a step.
func describeMigration(t *stage.Choice) string {
	if t.Event == nil {
		return ""
	}
	// The servers take note of the step before the operator's own event, which says what it was.
	for i := t.Event.Seq; t.Event.Kind != sim.EventFault && i < int64(len(t.Events)) && t.Events[i].Decision == t.Event.Decision; i++ {
		t.Event = &t.Events[i]
	}
	at := traces.Moment(t.Event.At)
	var now model.Observation
	for _, o := range t.History.Observations {
		if o.Kind == model.Assigned && (o.Seq <= t.Event.Seq || t.Struck(faultMigration) && now.SentTo == "") {
			now = o
		}
	}
	switch {
	case t.Struck(faultMoves):
		return fmt.Sprintf("the migration moves a %s at %s", t.Terms.Record, at)
	case t.Struck(faultFinished):
		return "the migration is finished at " + at
	case t.Struck(faultClosed):
		return "the server that the part came from learns at " + at + " that the migration is over"
	case t.Struck(faultGivenUp):
		return fmt.Sprintf("the migration is given up at %s, and %s keeps its part", at, now.Node)
	case t.Struck(faultForgotten):
		return fmt.Sprintf("the other end of the migration learns at %s that it is given up", at)
	case t.Struck(faultMigration):
		return fmt.Sprintf("part %s of the %ss begins to move from %s to %s at %s", now.Part, t.Terms.Record, now.Node, now.SentTo, at)
	}
	return ""
}
