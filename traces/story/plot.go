package story

import (
	"cmp"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// Plot is the subject of a story: a verdict, the acquisitions that it concerns, and the events that can matter for it. It
// depends on no scenario and no lock: everything is derived from the history, the events and the verdict.
type Plot struct {
	*Lives
	Verdict *model.Verdict // nil if nothing was violated
	// Broken describes the property of the verdict.
	Broken model.Description
	// Acquisitions are the IDs of the acquisitions that the verdict is about, ascending, and clients their clients.
	Acquisitions []int
	Clients      []string
	// unlooked is the number of acquisitions whose steps were not considered.
	unlooked int
	// from and to are the first and the last event that can matter.
	from, to int64
}

// maxUnnamed is the maximum number of acquisitions that are shown if no verdict names any.
const maxUnnamed = 100

func newPlot(t *traces.Trace) *Plot {
	s := &Plot{Lives: newLives(newFacts(newLog(t))), Verdict: t.Verdict()}
	if s.Verdict != nil {
		s.Broken = t.Description(s.Verdict.Property)
	}
	s.Acquisitions = s.namedAcquisitions()
	if len(s.Acquisitions) == 0 {
		s.Acquisitions = s.acquisitionsInWindow()
	}
	s.Clients = s.involved()
	s.from, s.to = s.reach()
	return s
}

// involved returns the clients of these acquisitions, in the order of their lanes.
func (s *Plot) involved() []string {
	var names []string
	for _, id := range s.Acquisitions {
		if c := s.Trace.History.Operation(id).Client; !slices.Contains(names, c) {
			names = append(names, c)
		}
	}
	for _, name := range s.speakers() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	lane := func(name string) int {
		return slices.IndexFunc(s.Trace.Actors, func(a traces.Actor) bool { return a.Name == name })
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(lane(a), lane(b)) })
	return names
}

// speakers returns the processes of a program whose statements the verdict names, or all if it names none; nil for a lock.
func (s *Plot) speakers() (named []string) {
	var all []string
	for i := range s.Trace.History.Statements {
		if st := &s.Trace.History.Statements[i]; s.cited(st.Seq) && st.Process != model.Observer {
			named = append(named, st.Process)
		} else {
			all = append(all, st.Process)
		}
	}
	if named == nil {
		return all
	}
	return named
}

// cited reports whether the verdict names an observation.
func (s *Plot) cited(seq int64) bool {
	return s.Verdict != nil && slices.Contains(s.Verdict.Observations, seq)
}

// namedAcquisitions returns those whose operations or keys the verdict names.
func (s *Plot) namedAcquisitions() []int {
	if s.Verdict == nil {
		return nil
	}
	var ids []int
	name := func(op int) {
		if id := AcquisitionOf(s.Trace, op); id != 0 {
			ids = append(ids, id)
		}
	}
	for _, op := range s.Verdict.Operations {
		name(op)
	}
	for _, o := range s.Trace.History.Observations {
		if slices.Contains(s.Verdict.Observations, o.Seq) {
			name(o.Owner.Op)
			name(o.OldOwner.Op)
			name(o.By.Op)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// acquisitionsInWindow returns the acquisitions that overlap the violation's window, or all if
// there is no window.
func (s *Plot) acquisitionsInWindow() []int {
	from, to := int64(0), s.Trace.LastSeq()
	if s.Verdict != nil && s.Verdict.From.Happened() {
		from = s.Verdict.From.Seq
		to = max(from, s.Verdict.To.Seq)
	}
	if s.Trace.Experiment != nil {
		from = s.shownFrom()
	}
	var ids []int
	for i := range s.Trace.History.Operations {
		o := &s.Trace.History.Operations[i]
		switch {
		case o.Kind != model.Acquire || o.Call.Seq > to || s.LastOf[o.ID] < from:
		case len(ids) < maxUnnamed:
			ids = append(ids, o.ID)
		default:
			s.unlooked++
		}
	}
	return ids
}

// reach returns the first and the last event that can matter for the verdict.
func (s *Plot) reach() (from, to int64) {
	if s.IsProgram() && s.Verdict != nil && s.Verdict.To.Happened() {
		return 0, s.Verdict.To.Seq
	}
	if s.Verdict == nil || len(s.Acquisitions) == 0 {
		return s.shownFrom(), s.Trace.LastSeq()
	}
	from = s.Trace.History.Operation(s.Acquisitions[0]).Call.Seq
	to = max(s.Verdict.From.Seq, s.Verdict.To.Seq)
	for _, id := range s.Acquisitions {
		to = max(to, s.LastOf[id])
		for _, c := range s.claimsOf[id] {
			to = max(to, min(c.To.Seq, s.Trace.LastSeq()))
		}
	}
	return from, to
}

// Concerns reports whether an operation belongs to one of the acquisitions
// that the story is about.
func (s *Plot) Concerns(op int) bool {
	_, found := slices.BinarySearch(s.Acquisitions, AcquisitionOf(s.Trace, op))
	return found
}

// busy reports whether, between two events, a client had one of the story's acquisitions under way.
func (s *Plot) busy(client string, from, to int64) bool {
	if s.IsProgram() {
		return slices.Contains(s.Clients, client)
	}
	for _, id := range s.Acquisitions {
		a := s.Trace.History.Operation(id)
		if a.Client == client && a.Call.Seq <= to && from <= s.LastOf[id] {
			return true
		}
	}
	return false
}
