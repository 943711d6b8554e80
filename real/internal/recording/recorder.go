package recording

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Recorder keeps the history of a real run.
type Recorder struct {
	Began   time.Time
	Events  []sim.Event
	History model.History
	// Known are the last seen records, by their owner and key.
	Known map[string]map[string]Known

	wall time.Time // Began, without the monotonic clock
	seq  int64
}

// Known is the last seen state of a record, with the origin of its value.
type Known struct {
	Record
	Owner model.Origin
}

// New returns a Recorder of a run that begins now, with leases of this length.
func New(ttl time.Duration) Recorder {
	now := time.Now()
	return Recorder{
		Began: now, wall: now.Round(0), Known: map[string]map[string]Known{},
		History: model.History{LockName: cell.LockName, TTL: ttl},
	}
}

// Stamp counts an event that is in no list.
func (r *Recorder) Stamp() model.Stamp {
	r.seq++
	return model.Stamp{Seq: r.seq, At: time.Since(r.Began)}
}

// In returns a time of the wall clock in the run's time.
func (r *Recorder) In(t time.Time) time.Duration { return t.Sub(r.wall) }

// SentAt returns when a gate had a message, in the run's time. Connections are set up before the run begins.
func (r *Recorder) SentAt(t time.Time) time.Duration { return max(t.Sub(r.Began), 0) }

// The events of a real run are like those of a simulated one, so that the same pictures show them. A message is
// sent when its gate has it, and arrives when the driver lets it through.

// Log adds an event, and returns when it happened.
func (r *Recorder) Log(e sim.Event) model.Stamp {
	r.seq++
	e.Seq, e.At = r.seq, time.Since(r.Began)
	r.Events = append(r.Events, e)
	return model.Stamp{Seq: e.Seq, At: e.At}
}

// Mark logs an action of a client's workload.
func (r *Recorder) Mark(client, what string) model.Stamp {
	return r.Log(sim.Event{Kind: sim.EventMark, Actor: client, Detail: what})
}

// Observe records an observation, and logs it.
func (r *Recorder) Observe(o model.Observation) {
	o.Stamp = r.seen(&o)
	r.History.Observations = append(r.History.Observations, o)
	r.History.Healed = max(r.History.Healed, realclient.HealedBy(&o))
}

// seen logs an observation.
func (r *Recorder) seen(o *model.Observation) model.Stamp {
	kind, detail := sim.EventNote, string(o.Kind)
	switch o.Kind {
	case model.Paused, model.Resumed, model.Crashed, model.Returned, model.Promoted, model.Delayed, model.ReplyLost, model.ClockJumped, model.ClockOff,
		model.Parted, model.United:
		kind = sim.EventFault
	}
	if o.Key != "" {
		detail += " " + o.Key + " = " + o.Value
	}
	return r.Log(sim.Event{Kind: kind, Actor: o.Node, Detail: detail})
}

// At returns the last seen records of an owner, to be changed by the caller.
func (r *Recorder) At(place string) map[string]Known {
	if r.Known[place] == nil {
		r.Known[place] = map[string]Known{}
	}
	return r.Known[place]
}

// Ended records the end of a record at a node, and reports whether a request ended it. Without an origin, or after its
// end, it has ended by itself. Place is the owner of the record.
func (r *Recorder) Ended(node, place, key string, by model.Origin) (changed bool) {
	old := r.At(place)[key]
	o := r.OfRecord(model.RecordDeleted, node, place, key, old)
	o.By = by
	if o.By.Client == "" || !old.Ends.IsZero() && !time.Now().Before(old.Ends) {
		o.Kind, o.By, o.ExpiresAt = model.RecordExpired, model.Origin{}, 0
	} else {
		changed = true
	}
	delete(r.Known[place], key)
	r.Observe(o)
	return changed
}

// Changed records the creation or change of a record at a node. Place is the owner of the record.
func (r *Recorder) Changed(node, place, key string, new Record, by model.Origin) {
	old, there := r.At(place)[key]
	k, kind := Known{new, by}, model.RecordCreated
	if there {
		kind = model.RecordChanged
		if (Record{Value: old.Value}).Equal(Record{Value: k.Value}) {
			k.Owner = old.Owner
		}
	}
	r.Known[place][key] = k
	o := r.OfRecord(kind, node, place, key, k)
	o.By = by
	if there {
		o.OldOwner = old.Owner
	}
	r.Observe(o)
}

// OfRecord returns an observation of a record.
func (r *Recorder) OfRecord(kind model.ObservationKind, node, place, key string, k Known) model.Observation {
	o := model.Observation{Node: node, Kind: kind, Authority: place, Key: key, Value: k.Value.Text, Owner: k.Owner, Session: k.Session, Revision: k.Revision}
	if k.Value.Type != "string" {
		o.Type, o.Items, o.Value = k.Value.Type, k.Value.Items, strings.Join(k.Value.Items, " ")
	}
	if len(k.Times) > 0 {
		o.Items = slices.Clone(o.Items)
		for i, t := range k.Times { // unordered: each by itself
			o.Items[i] = cell.Epoch.Add(r.In(t)).Format(TimeLayout)
		}
	}
	if !k.Ends.IsZero() {
		o.ExpiresAt = r.In(k.Ends)
	}
	return o
}

// Follow records that a follower has the records of the serving node.
func (r *Recorder) Follow(node, serving string) {
	mine := map[string]Known{}
	for key, k := range r.Known[serving] { // unordered: into a map
		mine[key] = k
	}
	for _, key := range slices.Sorted(maps.Keys(mine)) {
		if old, there := r.Known[node][key]; !there || !old.Equal(mine[key].Record) {
			o := r.OfRecord(model.RecordCreated, node, "", key, mine[key])
			o.By = mine[key].Owner
			if there {
				o.Kind = model.RecordChanged
			}
			r.Observe(o)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.Known[node])) {
		if _, there := mine[key]; !there {
			r.Observe(r.OfRecord(model.RecordDeleted, node, "", key, r.Known[node][key]))
		}
	}
	r.Known[node] = mine
}
