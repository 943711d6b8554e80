package confirm

import (
	"maps"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/internal/recording"
)

// recorder keeps the history of a real run, and what only a confirmation has.
type recorder struct {
	recording.Recorder
	// sessions are the known sessions, by name, and names the names of the trace's records in this run.
	sessions map[string]session
	names    map[string]string
	value    int64 // of the protected resource
	highest  int64 // highest token that it has seen
	fenced   bool
	calls    []*model.Call // by operation, the call of an object that is no mutex
}

func newRecorder(ttl time.Duration) recorder {
	return recorder{Recorder: recording.New(ttl), sessions: map[string]session{}, names: map[string]string{}}
}

// begin begins an operation like one of the trace, and returns its ID.
func (d *driver) begin(s *step) int {
	like := s.op
	id := len(d.History.Operations) + 1
	d.ops[like.ID] = id
	op := model.Operation{ID: id, Client: like.Client, Thread: like.Thread, Kind: like.Kind, Acquisition: d.ops[like.Acquisition], Call: d.Mark(like.Client, string(like.Kind)), Result: model.Unknown, Try: like.Try}
	if like.Kind == model.Write {
		op.Value = like.Value
	}
	d.History.Operations = append(d.History.Operations, op)
	if s.asks != nil {
		asked := model.Call{Op: s.asks.Op, Owner: s.asks.Owner, N: s.asks.N}
		if hold := d.asked(op.Acquisition); hold != nil && like.Kind != model.Acquire {
			asked.Permit = hold.Permit
		}
		for len(d.calls) < id {
			d.calls = append(d.calls, nil)
		}
		d.calls[id-1] = &asked
	}
	return id
}

// asked returns the call of an operation on an object that is no mutex, nil for none.
func (r *recorder) asked(op int) *model.Call {
	if op < 1 || op > len(r.calls) {
		return nil
	}
	return r.calls[op-1]
}

// end ends an operation with the report of its client.
func (d *driver) end(op *model.Operation, report *realclient.Report) {
	if asked := d.asked(op.ID); asked != nil {
		asked.Valued, asked.Value, asked.Refused = report.Valued, report.Value, report.Refused
		op.Value = report.Value
		if op.Kind == model.Acquire {
			asked.Permit = report.Permit
		}
	}
	op.Return, op.Result, op.Err, op.NotHeld = d.Mark(op.Client, string(op.Kind)+" "+string(report.Result)), report.Result, report.Err, report.NotHeld
	d.idled(op)
	switch {
	case report.Result != model.OK:
	case op.Kind == model.Acquire:
		op.Fenced, op.Token, op.Notifies = report.Fenced, report.Token, report.Notifies
		d.renewed(op, report.Until)
	case op.Kind == model.Extend:
		d.renewed(op, report.Until)
	}
}

// renewed records the end of a lease in an operation, if it is new.
func (r *recorder) renewed(op *model.Operation, until time.Time) {
	if !until.IsZero() {
		op.Leased, op.Until = true, r.In(until)
	}
}

// access reads or writes the protected resource, which refuses a token lower than one that it has seen.
func (d *driver) access(s *step) error {
	c := d.at(s)
	op, hold := d.History.Operation(c.op), d.History.Operation(d.History.Operation(c.op).Acquisition)
	o := model.Observation{Node: s.seen.Node, Kind: model.ResourceRead, By: model.Origin{Client: s.client, Op: op.ID}, Fenced: hold.Fenced, Token: hold.Token}
	op.Result = model.OK
	switch {
	case hold.Fenced && d.fenced && hold.Token < d.highest:
		o.Kind, op.Result = model.ResourceRefused, model.Failed
	case op.Kind == model.Write:
		d.value = op.Value
		o.Kind = model.ResourceWritten
	default:
		op.Value = d.value
	}
	if hold.Fenced && o.Kind != model.ResourceRefused {
		d.fenced, d.highest = true, max(d.highest, hold.Token)
	}
	o.Number = d.value
	if o.Kind != s.seen.Kind {
		return d.diverged(s.client + "'s access was " + string(o.Kind))
	}
	d.Observe(o)
	return nil
}

// look compares a node's records with the last seen ones, and records the changes with their origin. Without an origin, a
// record has ended by itself.
func (d *driver) look(node string, by model.Origin) (changed bool, err error) {
	node, can := d.whom(node)
	if !can {
		return false, nil
	}
	now, err := d.records(node)
	if err != nil {
		return false, err
	}
	place := d.place(node)
	if r := d.effects[place]; r != nil && by.Client == "" {
		by = r.by
		defer func() { r.changed = r.changed || changed }()
	}
	before := d.At(place)
	for _, key := range slices.Sorted(maps.Keys(before)) {
		old := before[key]
		if new, there := now[key]; there && (new.Session == old.Session || !d.sessional()) {
			continue
		}
		changed = d.ended(node, key, old, by) || changed
	}
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if old, there := before[key]; !there || !old.Equal(now[key]) {
			d.changed(node, key, now[key], by)
			changed = true
		}
	}
	return changed, nil
}

// records returns the records of a node. A record that lives with a session ends with it.
func (d *driver) records(node string) (map[string]Record, error) {
	list, err := d.servers.Records(node)
	for key, r := range list { // unordered: each by itself
		if r.Session != "" && r.Ends.IsZero() {
			r.Ends = d.sessions[r.Session].ends
			list[key] = r
		}
	}
	return list, err
}

// ended records the end of a record, and reports whether a request ended it.
func (d *driver) ended(node, key string, old recording.Known, by model.Origin) (changed bool) {
	return d.Ended(node, d.place(node), key, d.byGiver(node, old.Record, by))
}

// changed records the creation or change of a record.
func (d *driver) changed(node, key string, r Record, by model.Origin) {
	d.Changed(node, d.place(node), key, r, d.byTaker(node, r, by))
}

func (d *driver) ofRecord(kind model.ObservationKind, node, key string, k recording.Known) model.Observation {
	return d.OfRecord(kind, node, d.place(node), key, k)
}

// dropped records the records that a node has lost in a restart.
func (d *driver) dropped(node string) error {
	now, err := d.servers.Records(node)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(d.Known[node])) {
		if _, there := now[key]; there {
			continue
		}
		o := d.ofRecord(model.RecordDropped, node, key, d.Known[node][key])
		o.ExpiresAt = 0
		delete(d.Known[node], key)
		d.Observe(o)
	}
	return nil
}

// follow records that a follower has the records of the serving node.
func (d *driver) follow(node string) error {
	d.Follow(node, d.seats.of(d.serverOf(node)))
	return nil
}
