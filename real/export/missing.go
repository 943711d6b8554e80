package export

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// missing is the story of a client that never gets the lock because one of the sentinels that it asks does not answer.
type missing struct {
	sentinels int
	// later is set if the client has chosen the sentinel before that is gone; otherwise it is missing from the beginning.
	later bool
}

// readMissing reads the story. Other stories with sentinels have no form.
func (s *Script) readMissing() error {
	m := &missing{later: parameter(s.Trace, "absent-electors") == ""}
	for _, a := range s.Trace.Actors {
		if a.Kind == traces.ElectorActor {
			m.sentinels++
		}
	}
	if err := s.refuseCalls(); err != nil {
		return err
	}
	if s.verdict.Property != checker.Progress {
		return noForm("with sentinels a test decides %s alone", checker.Progress)
	}
	h := &s.Trace.History
	gone := ""
	for i := range h.Observations {
		o := &h.Observations[i]
		if o.Seq > s.until {
			break
		}
		switch o.Kind {
		case model.Crashed:
			if !s.elector(o.Node) || gone != "" && gone != o.Node {
				return noForm("%s of %s is needed (event %d), with sentinels", o.Kind, o.Node, o.Seq)
			}
			gone = o.Node
		case model.Parted:
			if o.Sides == nil || len(o.Sides.A) != 1 || !s.elector(o.Sides.A[0]) || gone != "" && gone != o.Sides.A[0] {
				return noForm("a partition is needed (event %d) that is not one sentinel's, with sentinels", o.Seq)
			}
			gone = o.Sides.A[0]
		case model.Promoted, model.Returned, model.ClockJumped, model.ClockOff, model.Paused:
			return noForm("%s of %s is needed (event %d), with sentinels", o.Kind, o.Node, o.Seq)
		}
	}
	if gone == "" {
		return noForm("no sentinel is gone, and nothing else with sentinels has a form")
	}
	s.missing = m
	s.clients = []string{"c1"}
	return nil
}

func (s *Script) elector(name string) bool {
	return slices.ContainsFunc(s.Trace.Actors, func(a traces.Actor) bool { return a.Name == name && a.Kind == traces.ElectorActor })
}

// parameter returns the value of a trace's parameter, empty for the default.
func parameter(t *traces.Trace, name string) string {
	for _, p := range t.Parameters {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

// needs describes what to install.
func (s *Script) needs() string {
	if s.missing != nil {
		return "redis-server on the PATH (Debian: apt install redis-server), which is a sentinel as well"
	}
	return s.store.needs
}
