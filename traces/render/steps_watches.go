package render

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
)

// watchSteps tells what the story's clients watch while they are about the lock, and
// what they are told.
func (s *story) watchSteps() []candidate {
	var steps []candidate
	for i := range s.t.History.Observations {
		o := &s.t.History.Observations[i]
		if o.Watch == nil || o.Seq < s.from || o.Seq > s.to || !s.busy(o.Owner.Client, o.Seq, o.Seq) {
			continue
		}
		switch o.Kind {
		case model.WatchSet:
			weight := completing
			if fired := s.firing(i); fired != nil && s.leads(fired) {
				weight = clarifying - 1
			}
			text := fmt.Sprintf("watches %s at %s", watchedText(o.Watch), wording.Printable(o.Node))
			steps = append(steps, step(o.Stamp, o.Owner.Client, text, weight))
		case model.WatchFired:
			weight := completing
			if s.leads(o) {
				weight = clarifying
			}
			text := fmt.Sprintf("tells %s that %s", wording.Printable(o.Owner.Client), sawText(o.Watch))
			steps = append(steps, step(o.Stamp, o.Node, text, weight))
		}
	}
	return steps
}

// leads reports whether a watch that fires leads to an acquisition of the story: its
// client has the lock soon after it is told.
func (s *story) leads(fired *model.Observation) bool {
	told := s.reaches(fired)
	return told.Happened() && slices.ContainsFunc(s.acquisitions, func(id int) bool {
		a := s.t.History.Operation(id)
		return a.Client == fired.Owner.Client && a.Result == model.OK && a.Call.Seq < fired.Seq && fired.Seq < a.Return.Seq && a.Return.At-told.At < slow
	})
}

// firing is the first event that fires the watch which the i-th observation has set, at
// the same connection; nil if none does.
func (s *story) firing(i int) *model.Observation {
	set := &s.t.History.Observations[i]
	for j := range s.t.History.Observations[i:] {
		o := &s.t.History.Observations[i+j]
		same := o.Kind == model.WatchFired && o.Node == set.Node && o.Owner.Client == set.Owner.Client && o.Owner.Conn == set.Owner.Conn
		if same && o.Watch.Key == set.Watch.Key && (o.Watch.Below == set.Watch.Below || o.Watch.Saw == model.RecordDeleted) {
			return o
		}
	}
	return nil
}

// watchedText is what a client watches.
func watchedText(w *model.Watch) string {
	if w.Below {
		return "the children of " + shortKey(w.Key)
	}
	return shortKey(w.Key)
}

// sawText is what a client is told of what it watches.
func sawText(w *model.Watch) string {
	if w.Below {
		return "the children of " + shortKey(w.Key) + " have changed"
	}
	return shortKey(w.Key) + " was " + wording.Printable(string(w.Saw))
}
