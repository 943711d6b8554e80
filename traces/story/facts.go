package story

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// Facts are the beliefs of processes and the records of nodes, from the history.
type Facts struct {
	*Log
	Claims    []Claim
	Keys      []string // all keys of the history
	LockKeys  []string
	Presences []Presence
	Pauses    []Pause
	// roles are, by node, its roles, once used.
	roles map[string][]Reign
	index
}

func newFacts(l *Log) *Facts {
	t, locks := l.Trace, l.Trace.History.LockKeys(nil)
	s := &Facts{
		Log: l, Claims: claims(t), Keys: keysSeen(t, locks), LockKeys: locks, Presences: presences(t), Pauses: pauses(t), roles: map[string][]Reign{},
	}
	s.index = s.newIndex()
	return s
}

// IsLockKey distinguishes the lock's keys from fences, counters and queues.
func (s *Facts) IsLockKey(key string) bool { return slices.Contains(s.LockKeys, key) }

// believers returns the clients other than one that believe at an event that they
// hold the lock.
func (s *Facts) believers(seq int64, except string) []string {
	var names []string
	for _, c := range s.Claims {
		if name := c.Acquire.Client; name != except && c.Covers(seq) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// pausedAt reports whether a process was paused at an event.
func (s *Facts) pausedAt(process string, seq int64) bool {
	for _, p := range s.Pauses {
		if p.Actor == process && p.From.Seq <= seq && seq < p.To.Seq {
			return true
		}
	}
	return false
}

// hasKey reports whether an authority had a key of an acquisition at some time between two
// events.
func (s *Facts) hasKey(acquisition int, from, to int64) bool {
	return slices.ContainsFunc(s.Presences, func(p Presence) bool {
		mine := p.Began.Authority != "" && s.IsLockKey(p.Key) && AcquisitionOf(s.Trace, p.Owner.Op) == acquisition
		return mine && p.From.Seq < to && p.To.Seq > from
	})
}

// hadKey reports whether an authority had a key of the operation's acquisition at some
// time from the call to the return.
func (s *Facts) hadKey(o *model.Operation) bool {
	return s.hasKey(o.Acquisition, o.Call.Seq, o.Return.Seq)
}

// tokenBefore returns the acquisition with the highest token among those that had
// returned before another one was called, if that token is not lower; or nil.
func (s *Facts) tokenBefore(a *model.Operation) *model.Operation {
	var highest *model.Operation
	for _, c := range s.Claims {
		if b := c.Acquire; b.Fenced && b.Return.Seq < a.Call.Seq && (highest == nil || b.Token > highest.Token) {
			highest = b
		}
	}
	if highest != nil && highest.Token >= a.Token {
		return highest
	}
	return nil
}

// claimingAt returns the claim that a client has at an event, or nil.
func (s *Facts) claimingAt(client string, seq int64) *Claim {
	for i := range s.Claims {
		if c := &s.Claims[i]; c.Acquire.Client == client && c.Covers(seq) {
			return c
		}
	}
	return nil
}

// onServing returns the presence of a granted key on the first node of its store that serves at an event or, if none does,
// on the last that did; nil if that node does not have the key.
func (s *Facts) onServing(granted *Presence, seq int64) *Presence {
	key, store := granted.Key, storeAt(s.Trace, granted.Node)
	last, began := "", int64(-1)
	for _, a := range s.Trace.Actors {
		if a.Kind != traces.NodeActor || a.Store != store {
			continue
		}
		roles := s.Reigns(a.Name)
		if roleAt(roles, seq) == roleServing {
			return presentAt(s.Presences, a.Name, key, seq)
		}
		for n := begun(roles, seq); n > 0 && roles[n-1].From.Seq > began; n-- {
			if r := roles[n-1]; r.Role == roleServing {
				last, began = a.Name, r.From.Seq
			}
		}
	}
	return presentAt(s.Presences, last, key, seq)
}

// neighbours returns the observations of a record before and after another one of it, at the same node.
func (s *Facts) neighbours(o *model.Observation) (before, after *model.Observation) {
	for i := range s.Trace.History.Observations {
		other := &s.Trace.History.Observations[i]
		switch {
		case other.Node != o.Node || other.Key != o.Key || !other.Kind.OfRecord():
		case other.Seq < o.Seq:
			before = other
		case other.Seq > o.Seq:
			return before, other
		}
	}
	return before, nil
}

// highestToken returns the highest token that the resource had seen before.
func (s *Facts) highestToken(refused *model.Observation) (highest int64, found bool) {
	for _, o := range s.Trace.History.Observations {
		if o.Seq >= refused.Seq {
			break
		}
		accepted := o.Kind == model.ResourceRead || o.Kind == model.ResourceWritten
		if accepted && o.Fenced && o.Node == refused.Node && (!found || o.Token > highest) {
			highest, found = o.Token, true
		}
	}
	return highest, found
}
