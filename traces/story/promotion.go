package story

import (
	"fmt"
	"strconv"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
)

// Inherited describes whether a promoted node knows of the locks that clients believe they hold.
func (s *Plot) Inherited(o *model.Observation) string {
	for _, c := range s.Claims {
		grants := s.grants[c.Acquire.ID]
		if !c.Covers(o.Seq) || len(grants) == 0 || !s.Concerns(c.Acquire.ID) || storeAt(s.Trace, grants[0].Node) != storeAt(s.Trace, o.Node) {
			continue
		}
		held := presentAt(s.Presences, o.Node, grants[0].Key, o.Seq)
		if held == nil || AcquisitionOf(s.Trace, held.Owner.Op) != c.Acquire.ID {
			return fmt.Sprintf(" without %s's %s", wording.Printable(c.Acquire.Client), s.TermsAt(o.Node).Record) + s.olderCounter(o, c.Acquire.ID)
		}
		text := fmt.Sprintf(" with %s's %s", wording.Printable(c.Acquire.Client), s.TermsAt(o.Node).Record)
		if key := s.outdated(o); key != "" {
			text += ", but with an old " + wording.Key(key)
		}
		return text
	}
	return ""
}

// olderCounter describes a counter of tokens that is lower at a promoted node than the number which an acquisition wrote;
// the counter is a key other than the lock's.
func (s *Plot) olderCounter(o *model.Observation, acquisition int) string {
	for i := range s.Presences {
		p := &s.Presences[i]
		wrote := p.Began.Authority != "" && p.From.Seq <= o.Seq && AcquisitionOf(s.Trace, p.Owner.Op) == acquisition
		counted, err := strconv.ParseInt(p.Value, 10, 64)
		if !wrote || err != nil || s.IsLockKey(p.Key) {
			continue
		}
		held := presentAt(s.Presences, o.Node, p.Key, o.Seq)
		if held == nil {
			return fmt.Sprintf("; %s is not there, either", wording.Key(p.Key))
		}
		if n, err := strconv.ParseInt(held.Value, 10, 64); err == nil && n < counted {
			return fmt.Sprintf("; %s is %d there, not %d", wording.Key(p.Key), n, counted)
		}
	}
	return ""
}

// outdated returns a key, other than the lock's, whose value at another node a promoted node does not have; "" if there is
// none.
func (s *Plot) outdated(o *model.Observation) string {
	for _, key := range s.Keys {
		own := presentAt(s.Presences, o.Node, key, o.Seq)
		for _, a := range s.Trace.Actors {
			other := presentAt(s.Presences, a.Name, key, o.Seq)
			if !s.IsLockKey(key) && other != nil && (own == nil || own.Value != other.Value && own.From.Seq < other.From.Seq) {
				return key
			}
		}
	}
	return ""
}
