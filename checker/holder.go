package checker

import (
	"iter"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// This file answers who had the lock in the store: it is the one place where tenures
// are looked up.

// Holds reports whether the store had the lock for an acquisition, which is a successful
// Acquire, at some time from one event to another, by their numbers. On independent
// nodes the majority decides. Known is false if it is not known who has the lock.
func (j *Judge) Holds(acquisition *model.Operation, from, to int64) (held, known bool) {
	key, ok := j.readable()
	held = ok && j.heldDuring(acquisition, key, from, to)
	return held, ok && j.unread == nil
}

// readable reports whether it is known who has the lock in the store, and by which
// key, empty for all.
func (j *Judge) readable() (key string, ok bool) {
	key, ok = j.owned()
	return key, ok && j.unread == nil && j.everStored() && (j.o.Ownership != nil || !j.several())
}

// tenures works out who had the lock in the stores, once.
func (j *Judge) tenures() []tenure {
	if j.held == nil {
		t := tenures{
			j: j, list: make([]tenure, 0, len(j.claims)+4),
			origins: make(map[origin]int, len(j.claims)),
		}
		if j.o.Ownership == nil {
			t.keys = j.lockKeys()
		}
		for i := range j.h.Observations {
			t.see(&j.h.Observations[i])
		}
		t.settle()
		j.held = t.list
	}
	return j.held
}

// owned returns the one key whose owner has the lock, if the lock is of that
// sort, or the empty name if all its keys can be read ([Options].Ownership).
func (j *Judge) owned() (key string, ok bool) {
	if j.o.Ownership != nil {
		return "", true
	}
	keys := j.lockKeys()
	if len(keys) != 1 {
		return "", false
	}
	return keys[0], true
}

// notSingle is what is said of a lock of which it is not known who has it.
func (j *Judge) notSingle() model.Verdict {
	return notApplicable("Not known to be the value of one " + j.record() + ", so nothing tells who truly has the lock.")
}

// noneStored is what is said where nobody was seen to get the lock.
func (j *Judge) noneStored() model.Verdict {
	return notApplicable("No Acquire created a " + j.record() + " in the store.")
}

// everStored reports whether any acquisition is known to have had one of the
// lock's keys.
func (j *Judge) everStored() bool {
	return slices.ContainsFunc(j.tenures(), func(t tenure) bool { return t.acquisition != 0 })
}

// unsettled reports whether the holder is unknown at any time.
func (j *Judge) unsettled() bool {
	return slices.ContainsFunc(j.held, func(t tenure) bool { return t.unknown })
}

// holderOf is the acquisition whose lock an observation ended, nil if it is not
// known.
func (j *Judge) holderOf(o *model.Observation) *model.Operation {
	for _, i := range overAt(j.tenures(), j.tenureIndex().overs, o.Seq) {
		if t := &j.held[i]; t.key == o.Key {
			return j.h.Operation(t.acquisition)
		}
	}
	return j.acquisition(j.h.Operation(o.Owner.Op))
}

// heldDuring reports whether the acquisition had the lock at some time from
// one event to another: its key at an authority, or on a quorum of independent
// servers. Of several nodes that serve of one server, of which one has been cut off, each
// counts for it.
func (j *Judge) heldDuring(x *model.Operation, key string, from, to int64) bool {
	return j.quorate(key, x, from, to, func(*tenure) bool { return true })
}

// quorate reports whether tenures of the acquisition that overlap the time from one event to another, and for which is
// returns true, are on a quorum of the servers.
func (j *Judge) quorate(key string, x *model.Operation, from, to int64, is func(*tenure) bool) bool {
	var room [8]string
	servers := room[:0]
	for _, t := range j.tenuresWithin(x, key, from, to) {
		if !is(t) {
			continue
		}
		if s := j.server(t.node); !slices.Contains(servers, s) {
			servers = append(servers, s)
		}
	}
	return len(servers) >= j.quorum()
}

// tenuresOfClient are the tenures that a client's requests began, by the key if it is
// named.
func (j *Judge) tenuresOfClient(client, key string) iter.Seq[*tenure] {
	return func(yield func(*tenure) bool) {
		all := j.tenures()
		for i := range all {
			if t := &all[i]; t.of(key) && j.clientOf(t.by) == client && !yield(t) {
				return
			}
		}
	}
}

// ours reports whether a tenure counts as the acquisition's own. It does if the
// acquisition has written it, or an earlier one of the same thread: some locks identify
// themselves by client, and take over what they find of their own. A tenure of an
// unknown holder may be its own, unless another client gave it when the acquisition had
// succeeded already.
func (j *Judge) ours(t *tenure, x *model.Operation) bool {
	if t.unknown {
		return t.by.Client == x.Client || !x.Return.Happened() || x.Return.Seq > j.held[t.first].wrote.Seq
	}
	if t.acquisition == 0 {
		return t.by.Client == x.Client
	}
	return t.acquisition == x.ID || t.acquisition < x.ID && sameThread(j.h.Operation(t.acquisition), x)
}

// hadShare reports whether the process of an Acquire may have had a share at any time
// until that returned.
func (j *Judge) hadShare(x *model.Operation) bool {
	return slices.ContainsFunc(j.tenures(), func(t tenure) bool {
		return t.overlaps(x.Call.Seq, x.Return.Seq) && (t.unknown || j.clientOf(t.by) == x.Client)
	})
}

// firstShare is the first tenure of an acquisition, or nil.
func (j *Judge) firstShare(x *model.Operation) *tenure {
	if list := j.tenureIndex().acquisitions.of(x.ID); len(list) > 0 {
		return &j.held[list[0]]
	}
	return nil
}

// lostShare is the observation that ended an acquisition's last share, or nil if it
// had none or still has one.
func (j *Judge) lostShare(x *model.Operation, until int64) (lost *model.Observation) {
	for _, i := range j.tenureIndex().acquisitions.of(x.ID) {
		t := &j.held[i]
		switch {
		case t.from.Seq > until:
		case t.over == nil || t.over.Seq > until:
			return nil
		case lost == nil || lost.Seq < t.over.Seq:
			lost = t.over
		}
	}
	return lost
}

// quorum is the number of servers on which an acquisition needs the key.
func (j *Judge) quorum() int {
	if j.o.Nodes < 2 {
		return 1
	}
	return j.o.Nodes/2 + 1
}

// server is the server that a node belongs to, by the name of its first node.
func (j *Judge) server(node string) string {
	for _, nodes := range j.o.Servers {
		if slices.Contains(nodes, node) {
			return nodes[0]
		}
	}
	return node
}

// sameServer reports whether two nodes may take each other's place. Without
// Options.Servers all may.
func (j *Judge) sameServer(a, b string) bool {
	return j.server(a) == j.server(b) || len(j.o.Servers) == 0 && j.o.Nodes < 2
}

// grants reports whether the observation is a grant of the key: an authority
// created it, or changed its owner.
func grants(o *model.Observation, key string) bool {
	return o.Authority != "" && o.Key == key &&
		(o.Kind == model.RecordCreated || o.Kind == model.RecordChanged && o.Owner.Op != o.OldOwner.Op)
}

// grant returns the last observation before the Acquire's return that gave it
// the key, or nil. The last, because an Acquire whose reply was lost tries
// again, and it is the last try that was answered.
func (j *Judge) grant(op *model.Operation, key string) *model.Observation {
	var last *model.Observation
	for _, o := range j.ownedBy(op.ID) {
		if op.Return.Happened() && o.Seq > op.Return.Seq {
			break
		}
		if grants(o, key) {
			last = o
		}
	}
	return last
}

// takes reports whether the observed change is the last grant of the lock to an
// acquisition.
func (j *Judge) takes(y *model.Operation, o *model.Observation) bool {
	if y == nil || !acquired(y) || y.Return.Seq < o.Seq {
		return false
	}
	grant := j.grant(y, o.Key)
	return grant != nil && grant.Seq == o.Seq
}

// asked is when the acquisition last asked for a lease before the event.
func (j *Judge) asked(x *model.Operation, seq int64) time.Duration {
	at := x.Call.At
	for _, op := range j.extendsOf(x.ID) {
		if op.ID > x.ID && op.Result == model.OK && op.Call.Seq < seq {
			at = op.Call.At
		}
	}
	return at
}
