package holders

import (
	"iter"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// This file finds who had the lock in the store: only here are tenures looked up.

// Holds reports whether the store had the lock for an acquisition, a successful Acquire, at some time between two events,
// given by their numbers. On independent nodes the majority decides. Known is false if the history does not show the
// holder.
func (hs *Holders) Holds(acquisition *model.Operation, from, to int64) (held, known bool) {
	key, ok := hs.Readable()
	held = ok && hs.HeldDuring(acquisition, key, from, to)
	return held, ok && hs.unread == nil
}

// At returns the acquisitions that had the lock in the store right after an event, in the order in which they got it. On
// independent nodes the majority decides. Known is false if the history does not show the holder then.
func (hs *Holders) At(seq int64) (holders []*model.Operation, known bool) {
	key, known := hs.Readable()
	if !known {
		return nil, false
	}
	for i := range hs.held {
		t := &hs.held[i]
		if !t.OfKey(key) || !t.Stands(seq) {
			continue
		}
		x := hs.h.Operation(t.Acquisition)
		switch {
		case t.Unknown || x == nil:
			return nil, false
		case !slices.Contains(holders, x) && hs.HeldDuring(x, key, seq, seq):
			holders = append(holders, x)
		}
	}
	return holders, true
}

// Readable reports whether the history shows the lock's holder in the store, and by which key; an empty key means all.
func (hs *Holders) Readable() (key string, ok bool) {
	key, ok = hs.LockRecord()
	return key, ok && hs.unread == nil && hs.EverStored() && (hs.o.Ownership != nil || !hs.Several())
}

// Tenures returns all tenures of the lock, in the order in which they began. They must not be changed.
func (hs *Holders) Tenures() []Tenure {
	if hs.held == nil {
		t := tenures{
			hs: hs, list: make([]Tenure, 0, len(hs.claims)+4),
			origins: make(map[origin]int, len(hs.claims)),
		}
		if hs.o.Ownership == nil {
			t.keys = hs.LockKeys()
		}
		for i := range hs.h.Observations {
			t.see(&hs.h.Observations[i])
		}
		t.settle()
		hs.held = t.list
		if invariants {
			if err := hs.sound(hs.held); err != nil {
				panic("holders: " + err.Error())
			}
		}
	}
	return hs.held
}

// LockRecord returns the one key whose owner has the lock, or the empty key if the holder is read from all keys
// ([Options].Ownership). ok is false if neither is so.
func (hs *Holders) LockRecord() (key string, ok bool) {
	if hs.o.Ownership != nil {
		return "", true
	}
	keys := hs.LockKeys()
	if len(keys) != 1 {
		return "", false
	}
	return keys[0], true
}

// EverStored reports whether any acquisition is known to have had one of the lock's keys.
func (hs *Holders) EverStored() bool {
	return slices.ContainsFunc(hs.Tenures(), func(t Tenure) bool { return t.Acquisition != 0 })
}

// Unsettled reports whether the holder of any tenure is unknown.
func (hs *Holders) Unsettled() bool {
	return slices.ContainsFunc(hs.held, func(t Tenure) bool { return t.Unknown })
}

// EndedHolder returns the acquisition whose tenure an observation ended, or nil if that is not known.
func (hs *Holders) EndedHolder(o *model.Observation) *model.Operation {
	for _, i := range overAt(hs.Tenures(), hs.tenureIndex().overs, o.Seq) {
		if t := &hs.held[i]; t.Key == o.Key {
			return hs.h.Operation(t.Acquisition)
		}
	}
	return hs.Acquisition(hs.h.Operation(o.Owner.Op))
}

// HeldDuring reports whether an acquisition had the lock at some time between two events: its key at an authority, or on a
// quorum of independent servers. If two nodes of a server serve at once, as after a partition, either counts.
func (hs *Holders) HeldDuring(x *model.Operation, key string, from, to int64) bool {
	return hs.OnQuorum(key, x, from, to, func(*Tenure) bool { return true })
}

// OnQuorum reports whether an acquisition's tenures that overlap the time between two events, and that is accepts, are on
// a quorum of the servers.
func (hs *Holders) OnQuorum(key string, x *model.Operation, from, to int64, is func(*Tenure) bool) bool {
	var room [8]string
	servers := room[:0]
	for _, t := range hs.tenuresWithin(x, key, from, to) {
		if !is(t) {
			continue
		}
		if s := hs.Server(t.Node); !slices.Contains(servers, s) {
			servers = append(servers, s)
		}
	}
	return len(servers) >= hs.Quorum()
}

// TenuresOfClient returns the tenures that a client's requests began, of the key or of all if it is empty.
func (hs *Holders) TenuresOfClient(client, key string) iter.Seq[*Tenure] {
	return func(yield func(*Tenure) bool) {
		all := hs.Tenures()
		for i := range all {
			if t := &all[i]; t.OfKey(key) && hs.ClientOf(t.By) == client && !yield(t) {
				return
			}
		}
	}
}

// CountsFor reports whether a tenure counts as the acquisition's own. It does if the acquisition wrote it, or an earlier
// one of the same thread did: some locks identify themselves by client, and take over the records that they find of their
// own. A tenure of an unknown holder may be the acquisition's, unless another client granted it after the acquisition had
// succeeded.
func (hs *Holders) CountsFor(t *Tenure, x *model.Operation) bool {
	if t.Unknown {
		return t.By.Client == x.Client || !x.Return.Happened() || x.Return.Seq > hs.held[t.First].Wrote.Seq
	}
	if t.Acquisition == 0 {
		return t.By.Client == x.Client
	}
	return t.Acquisition == x.ID || t.Acquisition < x.ID && SameThread(hs.h.Operation(t.Acquisition), x)
}

// HadTenure reports whether the process of an Acquire may have had a tenure at some time between its call and its return.
func (hs *Holders) HadTenure(x *model.Operation) bool {
	return slices.ContainsFunc(hs.Tenures(), func(t Tenure) bool {
		return t.Overlaps(x.Call.Seq, x.Return.Seq) && (t.Unknown || hs.ClientOf(t.By) == x.Client)
	})
}

// FirstTenure returns the first tenure of an acquisition, or nil.
func (hs *Holders) FirstTenure(x *model.Operation) *Tenure {
	if list := hs.tenureIndex().acquisitions.of(x.ID); len(list) > 0 {
		return &hs.held[list[0]]
	}
	return nil
}

// LastEnd returns the observation that ended an acquisition's last tenure until an event, or nil if it had no tenure, or
// still had one then.
func (hs *Holders) LastEnd(x *model.Operation, until int64) (lost *model.Observation) {
	for _, i := range hs.tenureIndex().acquisitions.of(x.ID) {
		t := &hs.held[i]
		switch {
		case t.From.Seq > until:
		case t.Over == nil || t.Over.Seq > until:
			return nil
		case lost == nil || lost.Seq < t.Over.Seq:
			lost = t.Over
		}
	}
	return lost
}

// Quorum returns the number of servers on which an acquisition needs the key.
func (hs *Holders) Quorum() int {
	if hs.o.Nodes < 2 {
		return 1
	}
	return hs.o.Nodes/2 + 1
}

// Server returns the server that a node belongs to, by the name of its first node.
func (hs *Holders) Server(node string) string {
	for _, nodes := range hs.o.Servers {
		if slices.Contains(nodes, node) {
			return nodes[0]
		}
	}
	return node
}

// SameServer reports whether two nodes may take each other's place. Without
// Options.Servers all may.
func (hs *Holders) SameServer(a, b string) bool {
	return hs.Server(a) == hs.Server(b) || len(hs.o.Servers) == 0 && hs.o.Nodes < 2
}

// Grants reports whether the observation is a grant of the key: an authority
// created it, or changed its owner.
func Grants(o *model.Observation, key string) bool {
	return o.Authority != "" && o.Key == key &&
		(o.Kind == model.RecordCreated || o.Kind == model.RecordChanged && o.Owner.Op != o.OldOwner.Op)
}

// Grant returns the last observation before the Acquire's return that gave it the key, or nil. An Acquire whose reply was
// lost tries again, and its last try was answered.
func (hs *Holders) Grant(op *model.Operation, key string) *model.Observation {
	var last *model.Observation
	for _, o := range hs.ownedBy(op.ID) {
		if op.Return.Happened() && o.Seq > op.Return.Seq {
			break
		}
		if Grants(o, key) {
			last = o
		}
	}
	return last
}

// Takes reports whether the observed change is the last grant of the lock to acquisition y.
func (hs *Holders) Takes(y *model.Operation, o *model.Observation) bool {
	if y == nil || !Acquired(y) || y.Return.Seq < o.Seq {
		return false
	}
	grant := hs.Grant(y, o.Key)
	return grant != nil && grant.Seq == o.Seq
}

// HeldAt reports whether the acquisition has the lock right after the event, with everything that it was granted.
func (hs *Holders) HeldAt(x *model.Operation, key string, at model.Stamp) bool {
	return hs.OnQuorum(key, x, at.Seq, at.Seq, func(t *Tenure) bool { return t.Until == 0 || t.Until > at.At })
}
