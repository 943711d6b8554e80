package render

import (
	"cmp"
	"slices"
	"sort"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/payload"
	"github.com/lockpick-dev/lockpick/traces"
)

// story is a trace with the data that explaining it needs. It depends on no scenario and
// no lock: everything comes from the history, the events and the verdict.
type story struct {
	t       *traces.Trace
	terms   model.Terms
	verdict *model.Verdict // nil if nothing was violated
	// broken describes the property of the verdict.
	broken    model.Description
	claims    []claim
	keys      []string // all that there are
	lockKeys  []string
	presences []presence
	pauses    []spell
	lives     lives
	segments  *payload.Segments
	receipts  receipts
	exchanges exchanges // what belongs to each operation, once a picture has asked for it
	// again are, by the event of a step, when its actor did the same once more.
	again map[int64][]model.Stamp
	// roles are, by node, its roles, once they were asked for.
	roles map[string][]reign
	index
	// acquisitions are the IDs of the acquisitions that the verdict is about, ascending,
	// and clients their clients.
	acquisitions []int
	clients      []string
	// left is how many steps are not shown, and unlooked how many acquisitions were not looked
	// at for steps.
	left, unlooked int
	// from and to are the first and the last event that can matter.
	from, to int64
}

// maxUnnamed is the most acquisitions that are shown if no verdict names any.
const maxUnnamed = 100

func newStory(t *traces.Trace) *story {
	locks := t.History.LockKeys(nil)
	s := &story{
		t: t, terms: termsOf(t), verdict: t.Verdict(), claims: claims(t), keys: keysSeen(t, locks), lockKeys: locks,
		presences: presences(t), pauses: pauses(t), roles: map[string][]reign{}, again: map[int64][]model.Stamp{},
		segments: payload.NewSegments(t.Events),
	}
	if s.verdict != nil {
		s.broken = t.Description(s.verdict.Property)
	}
	s.findLives()
	s.index = s.newIndex()
	s.findRepeats(s.repeats)
	s.acquisitions = s.namedAcquisitions()
	if len(s.acquisitions) == 0 {
		s.acquisitions = s.acquisitionsInWindow()
	}
	s.clients = s.involved()
	s.from, s.to = s.reach()
	return s
}

// involved are the clients of these acquisitions, in the order of their lanes.
func (s *story) involved() []string {
	var names []string
	for _, id := range s.acquisitions {
		if c := s.t.History.Operation(id).Client; !slices.Contains(names, c) {
			names = append(names, c)
		}
	}
	for _, name := range s.speakers() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	lane := func(name string) int {
		return slices.IndexFunc(s.t.Actors, func(a traces.Actor) bool { return a.Name == name })
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(lane(a), lane(b)) })
	return names
}

// speakers are the processes of a program whose statements the verdict names, or all if it names none;
// nil for a lock.
func (s *story) speakers() (named []string) {
	var all []string
	for i := range s.t.History.Statements {
		if st := &s.t.History.Statements[i]; s.cited(st.Seq) && st.Process != model.Observer {
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
func (s *story) cited(seq int64) bool {
	return s.verdict != nil && slices.Contains(s.verdict.Observations, seq)
}

// isProgram reports whether the trace is of a program, whose processes do more than to use a lock.
func (s *story) isProgram() bool { return isProgram(s.t) }

func isProgram(t *traces.Trace) bool { return len(t.History.Statements) > 0 }

// namedAcquisitions are those whose operations or keys the verdict names.
func (s *story) namedAcquisitions() []int {
	if s.verdict == nil {
		return nil
	}
	var ids []int
	name := func(op int) {
		if id := acquisitionOf(s.t, op); id != 0 {
			ids = append(ids, id)
		}
	}
	for _, op := range s.verdict.Operations {
		name(op)
	}
	for _, o := range s.t.History.Observations {
		if slices.Contains(s.verdict.Observations, o.Seq) {
			name(o.Owner.Op)
			name(o.OldOwner.Op)
			name(o.By.Op)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// acquisitionsInWindow are the acquisitions that overlap the violation's window, or all if
// there is no window.
func (s *story) acquisitionsInWindow() []int {
	from, to := int64(0), s.t.LastSeq()
	if s.verdict != nil && s.verdict.From.Happened() {
		from = s.verdict.From.Seq
		to = max(from, s.verdict.To.Seq)
	}
	if s.t.Experiment != nil {
		from = s.shownFrom()
	}
	var ids []int
	for i := range s.t.History.Operations {
		o := &s.t.History.Operations[i]
		switch {
		case o.Kind != model.Acquire || o.Call.Seq > to || s.lastOf[o.ID] < from:
		case len(ids) < maxUnnamed:
			ids = append(ids, o.ID)
		default:
			s.unlooked++
		}
	}
	return ids
}

// reach is the first and the last event that can matter for the verdict.
func (s *story) reach() (from, to int64) {
	if s.isProgram() && s.verdict != nil && s.verdict.To.Happened() {
		return 0, s.verdict.To.Seq
	}
	if s.verdict == nil || len(s.acquisitions) == 0 {
		return s.shownFrom(), s.t.LastSeq()
	}
	from = s.t.History.Operation(s.acquisitions[0]).Call.Seq
	to = max(s.verdict.From.Seq, s.verdict.To.Seq)
	for _, id := range s.acquisitions {
		to = max(to, s.lastOf[id])
		for _, c := range s.claimsOf[id] {
			to = max(to, min(c.to.Seq, s.t.LastSeq()))
		}
	}
	return from, to
}

// shownFrom is the first event of the part that is shown of an experiment's run; 0 for
// other runs.
func (s *story) shownFrom() int64 {
	if s.t.Experiment == nil {
		return 0
	}
	for i := range s.t.Events {
		if e := &s.t.Events[i]; e.At >= s.t.Experiment.From {
			return e.Seq
		}
	}
	return s.t.LastSeq()
}

// concerns reports whether an operation belongs to one of the acquisitions
// that the story is about.
func (s *story) concerns(op int) bool {
	_, found := slices.BinarySearch(s.acquisitions, acquisitionOf(s.t, op))
	return found
}

// isLockKey distinguishes the lock's keys from fences, counters and queues.
func (s *story) isLockKey(key string) bool { return slices.Contains(s.lockKeys, key) }

// believers are the clients other than one that believe at an event that they
// hold the lock.
func (s *story) believers(seq int64, except string) []string {
	var names []string
	for _, c := range s.claims {
		if name := c.acquire.Client; name != except && c.covers(seq) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// pausedAt reports whether a process was paused at an event.
func (s *story) pausedAt(process string, seq int64) bool {
	for _, p := range s.pauses {
		if p.actor == process && p.from.Seq <= seq && seq < p.to.Seq {
			return true
		}
	}
	return false
}

// kindOf is the kind of an actor, empty if the trace has none of that name.
func kindOf(t *traces.Trace, name string) traces.ActorKind {
	for _, a := range t.Actors {
		if a.Name == name {
			return a.Kind
		}
	}
	return ""
}

// termsOf are the store's terms in the trace, whose source is not trusted.
func termsOf(t *traces.Trace) model.Terms { return printable(t.Terms) }

// printable are terms whose source is not trusted, with a noun for each.
func printable(terms model.Terms) model.Terms {
	terms = terms.Usual()
	terms.Session = cmp.Or(terms.Session, "session")
	for _, term := range []*string{&terms.Store, &terms.Node, &terms.Serving, &terms.Follower, &terms.Record, &terms.Session} {
		*term = wording.Printable(*term)
	}
	return terms
}

// termsAt are the terms of the store that a node is of.
func (s *story) termsAt(node string) model.Terms {
	if a := actorOf(s.t, node); a != nil && a.Terms != nil {
		return printable(*a.Terms)
	}
	return s.terms
}

// storeAt is the ID of the store that a node is of, empty where the run has one store.
func storeAt(t *traces.Trace, node string) string {
	if a := actorOf(t, node); a != nil {
		return a.Store
	}
	return ""
}

// actorOf is the actor of a name, or nil.
func actorOf(t *traces.Trace, name string) *traces.Actor {
	for i := range t.Actors {
		if t.Actors[i].Name == name {
			return &t.Actors[i]
		}
	}
	return nil
}

// threadsOf is how many threads a client has.
func (s *story) threadsOf(client string) int {
	n := 1
	for i := range s.t.History.Operations {
		if o := &s.t.History.Operations[i]; o.Client == client {
			n = max(n, o.Thread+1)
		}
	}
	return n
}

func before(a, b model.Stamp) bool { return compareStamps(a, b) < 0 }

// compareStamps orders stamps by their times: the end of a lease is no event, and bears the
// number of the next.
func compareStamps(a, b model.Stamp) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Seq, b.Seq))
}

// indexOf is the index of the first event from a number on.
func (s *story) indexOf(seq int64) int {
	return sort.Search(len(s.t.Events), func(i int) bool { return s.t.Events[i].Seq >= seq })
}
