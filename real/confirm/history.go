package confirm

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

// recorder keeps the history of a real run.
type recorder struct {
	began   time.Time
	wall    time.Time // the same, without the monotonic clock
	seq     int64
	events  []sim.Event
	history model.History
	known   map[string]map[string]known // the records, by their owner and key
	// sessions are the known sessions, by name, and names the names of the trace's records in this run.
	sessions map[string]session
	names    map[string]string
	value    int64 // of the protected resource
	highest  int64 // highest token that it has seen
	fenced   bool
	calls    []*model.Call // by operation, the call of an object that is no mutex
}

// known is the last seen state of a record, with the origin of its value.
type known struct {
	Record
	owner model.Origin
}

func newRecorder(ttl time.Duration) recorder {
	now := time.Now()
	return recorder{
		began: now, wall: now.Round(0), known: map[string]map[string]known{},
		sessions: map[string]session{}, names: map[string]string{},
		history: model.History{LockName: cell.LockName, TTL: ttl},
	}
}

func (r *recorder) stamp() model.Stamp {
	r.seq++
	return model.Stamp{Seq: r.seq, At: time.Since(r.began)}
}

// in returns a time of the wall clock in the run's time.
func (r *recorder) in(t time.Time) time.Duration { return t.Sub(r.wall) }

func (r *recorder) observe(o model.Observation) {
	o.Stamp = r.seen(&o)
	r.history.Observations = append(r.history.Observations, o)
	r.history.Healed = max(r.history.Healed, realclient.HealedBy(&o))
}

// begin begins an operation like one of the trace, and returns its ID.
func (d *driver) begin(s *step) int {
	like := s.op
	id := len(d.history.Operations) + 1
	d.ops[like.ID] = id
	op := model.Operation{ID: id, Client: like.Client, Thread: like.Thread, Kind: like.Kind, Acquisition: d.ops[like.Acquisition], Call: d.mark(like.Client, string(like.Kind)), Result: model.Unknown, Try: like.Try}
	if like.Kind == model.Write {
		op.Value = like.Value
	}
	d.history.Operations = append(d.history.Operations, op)
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
	op.Return, op.Result, op.Err, op.NotHeld = d.mark(op.Client, string(op.Kind)+" "+string(report.Result)), report.Result, report.Err, report.NotHeld
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
		op.Leased, op.Until = true, r.in(until)
	}
}

// access reads or writes the protected resource, which refuses a token lower than one that it has seen.
func (d *driver) access(s *step) error {
	c := d.at(s)
	op, hold := d.history.Operation(c.op), d.history.Operation(d.history.Operation(c.op).Acquisition)
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
	d.observe(o)
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
	before := d.known[place]
	if before == nil {
		before = map[string]known{}
		d.known[place] = before
	}
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
func (d *driver) ended(node, key string, old known, by model.Origin) (changed bool) {
	o := d.ofRecord(model.RecordDeleted, node, key, old)
	o.By = d.byGiver(node, old.Record, by)
	if o.By.Client == "" || !old.Ends.IsZero() && !time.Now().Before(old.Ends) {
		o.Kind, o.By, o.ExpiresAt = model.RecordExpired, model.Origin{}, 0
	} else {
		changed = true
	}
	delete(d.known[d.place(node)], key)
	d.observe(o)
	return changed
}

// changed records the creation or change of a record.
func (d *driver) changed(node, key string, r Record, by model.Origin) {
	by = d.byTaker(node, r, by)
	old, there := d.known[d.place(node)][key]
	k, kind := known{r, by}, model.RecordCreated
	if there {
		kind = model.RecordChanged
		if (Record{Value: old.Value}).Equal(Record{Value: k.Value}) {
			k.owner = old.owner
		}
	}
	d.known[d.place(node)][key] = k
	o := d.ofRecord(kind, node, key, k)
	o.By = by
	if there {
		o.OldOwner = old.owner
	}
	d.observe(o)
}

func (d *driver) ofRecord(kind model.ObservationKind, node, key string, k known) model.Observation {
	o := model.Observation{Node: node, Kind: kind, Authority: d.place(node), Key: key, Value: k.Value.Text, Owner: k.owner, Session: k.Session, Revision: k.Revision}
	if k.Value.Type != "string" {
		o.Type, o.Items, o.Value = k.Value.Type, k.Value.Items, strings.Join(k.Value.Items, " ")
	}
	if len(k.Times) > 0 {
		o.Items = slices.Clone(o.Items)
		for i, t := range k.Times { // unordered: each by itself
			o.Items[i] = cell.Epoch.Add(d.in(t)).Format(TimeLayout)
		}
	}
	if !k.Ends.IsZero() {
		o.ExpiresAt = d.in(k.Ends)
	}
	return o
}

// dropped records the records that a node has lost in a restart.
func (d *driver) dropped(node string) error {
	now, err := d.servers.Records(node)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(d.known[node])) {
		if _, there := now[key]; there {
			continue
		}
		o := d.ofRecord(model.RecordDropped, node, key, d.known[node][key])
		o.ExpiresAt = 0
		delete(d.known[node], key)
		d.observe(o)
	}
	return nil
}

// follow records that a follower has the records of the serving node.
func (d *driver) follow(node string) error {
	mine := map[string]known{}
	for key, k := range d.known[d.seats.of(d.serverOf(node))] { // unordered: into a map
		mine[key] = k
	}
	for _, key := range slices.Sorted(maps.Keys(mine)) {
		if old, there := d.known[node][key]; !there || !old.Equal(mine[key].Record) {
			o := d.ofRecord(model.RecordCreated, node, key, mine[key])
			o.Authority, o.By = "", mine[key].owner
			if there {
				o.Kind = model.RecordChanged
			}
			d.observe(o)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(d.known[node])) {
		if _, there := mine[key]; !there {
			o := d.ofRecord(model.RecordDeleted, node, key, d.known[node][key])
			o.Authority = ""
			d.observe(o)
		}
	}
	d.known[node] = mine
	return nil
}
