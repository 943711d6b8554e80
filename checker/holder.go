package checker

import (
	"iter"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// This file answers who had the lock in the store: it is the one place where tenures
// are looked up.

// Holds reports whether the store had the lock for an acquisition, which is a successful
// Acquire, at some time from one event to another, by their numbers. On independent
// nodes the majority decides. Known is false if it is not known who has the lock.
func (hs *Holders) Holds(acquisition *model.Operation, from, to int64) (held, known bool) {
	key, ok := hs.readable()
	held = ok && hs.heldDuring(acquisition, key, from, to)
	return held, ok && hs.unread == nil
}

// readable reports whether it is known who has the lock in the store, and by which
// key, empty for all.
func (hs *Holders) readable() (key string, ok bool) {
	key, ok = hs.owned()
	return key, ok && hs.unread == nil && hs.everStored() && (hs.o.Ownership != nil || !hs.several())
}

// tenures works out who had the lock in the stores, once.
func (hs *Holders) tenures() []tenure {
	if hs.held == nil {
		t := tenures{
			hs: hs, list: make([]tenure, 0, len(hs.claims)+4),
			origins: make(map[origin]int, len(hs.claims)),
		}
		if hs.o.Ownership == nil {
			t.keys = hs.lockKeys()
		}
		for i := range hs.h.Observations {
			t.see(&hs.h.Observations[i])
		}
		t.settle()
		hs.held = t.list
	}
	return hs.held
}

// owned returns the one key whose owner has the lock, if the lock is of that
// sort, or the empty name if all its keys can be read ([Options].Ownership).
func (hs *Holders) owned() (key string, ok bool) {
	if hs.o.Ownership != nil {
		return "", true
	}
	keys := hs.lockKeys()
	if len(keys) != 1 {
		return "", false
	}
	return keys[0], true
}

// everStored reports whether any acquisition is known to have had one of the
// lock's keys.
func (hs *Holders) everStored() bool {
	return slices.ContainsFunc(hs.tenures(), func(t tenure) bool { return t.acquisition != 0 })
}

// unsettled reports whether the holder is unknown at any time.
func (hs *Holders) unsettled() bool {
	return slices.ContainsFunc(hs.held, func(t tenure) bool { return t.unknown })
}

// holderOf is the acquisition whose lock an observation ended, nil if it is not
// known.
func (hs *Holders) holderOf(o *model.Observation) *model.Operation {
	for _, i := range overAt(hs.tenures(), hs.tenureIndex().overs, o.Seq) {
		if t := &hs.held[i]; t.key == o.Key {
			return hs.h.Operation(t.acquisition)
		}
	}
	return hs.acquisition(hs.h.Operation(o.Owner.Op))
}

// heldDuring reports whether the acquisition had the lock at some time from
// one event to another: its key at an authority, or on a quorum of independent
// servers. Of several nodes that serve of one server, of which one has been cut off, each
// counts for it.
func (hs *Holders) heldDuring(x *model.Operation, key string, from, to int64) bool {
	return hs.quorate(key, x, from, to, func(*tenure) bool { return true })
}

// quorate reports whether tenures of the acquisition that overlap the time from one event to another, and for which is
// returns true, are on a quorum of the servers.
func (hs *Holders) quorate(key string, x *model.Operation, from, to int64, is func(*tenure) bool) bool {
	var room [8]string
	servers := room[:0]
	for _, t := range hs.tenuresWithin(x, key, from, to) {
		if !is(t) {
			continue
		}
		if s := hs.server(t.node); !slices.Contains(servers, s) {
			servers = append(servers, s)
		}
	}
	return len(servers) >= hs.quorum()
}

// tenuresOfClient are the tenures that a client's requests began, by the key if it is
// named.
func (hs *Holders) tenuresOfClient(client, key string) iter.Seq[*tenure] {
	return func(yield func(*tenure) bool) {
		all := hs.tenures()
		for i := range all {
			if t := &all[i]; t.of(key) && hs.clientOf(t.by) == client && !yield(t) {
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
func (hs *Holders) ours(t *tenure, x *model.Operation) bool {
	if t.unknown {
		return t.by.Client == x.Client || !x.Return.Happened() || x.Return.Seq > hs.held[t.first].wrote.Seq
	}
	if t.acquisition == 0 {
		return t.by.Client == x.Client
	}
	return t.acquisition == x.ID || t.acquisition < x.ID && sameThread(hs.h.Operation(t.acquisition), x)
}

// hadShare reports whether the process of an Acquire may have had a share at any time
// until that returned.
func (hs *Holders) hadShare(x *model.Operation) bool {
	return slices.ContainsFunc(hs.tenures(), func(t tenure) bool {
		return t.overlaps(x.Call.Seq, x.Return.Seq) && (t.unknown || hs.clientOf(t.by) == x.Client)
	})
}

// firstShare is the first tenure of an acquisition, or nil.
func (hs *Holders) firstShare(x *model.Operation) *tenure {
	if list := hs.tenureIndex().acquisitions.of(x.ID); len(list) > 0 {
		return &hs.held[list[0]]
	}
	return nil
}

// lostShare is the observation that ended an acquisition's last share, or nil if it
// had none or still has one.
func (hs *Holders) lostShare(x *model.Operation, until int64) (lost *model.Observation) {
	for _, i := range hs.tenureIndex().acquisitions.of(x.ID) {
		t := &hs.held[i]
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
func (hs *Holders) quorum() int {
	if hs.o.Nodes < 2 {
		return 1
	}
	return hs.o.Nodes/2 + 1
}

// server is the server that a node belongs to, by the name of its first node.
func (hs *Holders) server(node string) string {
	for _, nodes := range hs.o.Servers {
		if slices.Contains(nodes, node) {
			return nodes[0]
		}
	}
	return node
}

// sameServer reports whether two nodes may take each other's place. Without
// Options.Servers all may.
func (hs *Holders) sameServer(a, b string) bool {
	return hs.server(a) == hs.server(b) || len(hs.o.Servers) == 0 && hs.o.Nodes < 2
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
func (hs *Holders) grant(op *model.Operation, key string) *model.Observation {
	var last *model.Observation
	for _, o := range hs.ownedBy(op.ID) {
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
func (hs *Holders) takes(y *model.Operation, o *model.Observation) bool {
	if y == nil || !acquired(y) || y.Return.Seq < o.Seq {
		return false
	}
	grant := hs.grant(y, o.Key)
	return grant != nil && grant.Seq == o.Seq
}

// plainlyHeld reports whether the acquisition has the lock right after the event,
// with all that it was granted.
func (hs *Holders) plainlyHeld(x *model.Operation, key string, at model.Stamp) bool {
	return hs.quorate(key, x, at.Seq, at.Seq, func(t *tenure) bool { return t.until == 0 || t.until > at.At })
}
