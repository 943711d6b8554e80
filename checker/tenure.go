package checker

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// tenure is a stretch in which a node that takes itself for a primary has one
// of the lock's keys with a value that one acquisition wrote.
type tenure struct {
	node, key string
	// holder is the name of the holder in the key, if that can be read, writes whether
	// its share is a writer's, and until is when that ends by itself, 0 if it does not.
	holder string
	writes bool
	until  time.Duration
	// by is the operation that wrote the value, or only its process if that
	// was done for none.
	by model.Origin
	// acquisition is the one that it belongs to, 0 if that is not known; unknown
	// is set if it may be anybody's.
	acquisition int
	unknown     bool
	// first is the number of the first tenure that the same write began: of what was
	// copied, that of the node from which.
	first int
	// from is when it began there: by a write, or, if it goes on from where it
	// was (resumed), because the node was promoted or came back.
	from    model.Stamp
	resumed bool
	// over is what ended it: an expiry, a deletion, a write for another
	// acquisition, a drop; or that the node crashed or is no primary any more.
	// Nil if it lasts to the end of the history.
	over *model.Observation
	// wrote is the observation that it began with, or of the copy that it goes
	// on with.
	wrote *model.Observation
}

// like reports whether the tenure is of what the node has: of the same holder's
// share, reading or writing, in the same key.
func (t *tenure) like(c *copied) bool {
	return t.key == c.key && t.holder == c.holder && t.writes == c.writes
}

// stands reports whether the tenure stands right after the event.
func (t *tenure) stands(seq int64) bool {
	return t.from.Seq <= seq && (t.over == nil || t.over.Seq > seq)
}

// overlaps reports whether it stands at some time from one event to another.
func (t *tenure) overlaps(from, to int64) bool {
	return t.from.Seq <= to && (t.over == nil || t.over.Seq > from)
}

// of reports whether it is of the key; the empty name stands for all.
func (t *tenure) of(key string) bool { return key == "" || t.key == key }

// copied is a key that a node has, or a holder in it, and the tenure that it is part of, -1 while
// the node is a replica or down.
type copied struct {
	node, key, holder string
	writes            bool
	until             time.Duration
	wrote             *model.Observation
	// last is what the node had of the key last.
	last   *model.Observation
	tenure int
}

// tenures are those of the lock's keys, in the order in which they began.
type tenures struct {
	j      *judge
	keys   []string
	list   []tenure
	copies []copied
	down   []string // nodes
}

// tenures works out who had the lock in the stores, once.
func (j *judge) tenures() []tenure {
	if j.held == nil {
		t := tenures{j: j, keys: j.lockKeys(), list: make([]tenure, 0, len(j.claims)+4)}
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
func (j *judge) owned() (key string, ok bool) {
	if j.o.Ownership != nil {
		return "", true
	}
	keys := j.lockKeys()
	if len(keys) != 1 {
		return "", false
	}
	return keys[0], true
}

const (
	notSingle  = "Not known to be the value of one key, so nothing tells who truly has the lock."
	noneStored = "No Acquire created a key in the store."
)

// see takes one observation into account.
func (t *tenures) see(o *model.Observation) {
	switch o.Kind {
	case model.Promoted:
		t.supersede(o)
		t.resume(o)
	case model.Returned:
		t.down = slices.DeleteFunc(t.down, func(node string) bool { return node == o.Node })
		if o.Primary {
			t.resume(o)
		} else {
			t.suspend(o)
		}
	case model.Crashed:
		t.down = append(t.down, o.Node)
		if t.j.o.Nodes < 2 { // of independent ones none takes its place, unless one is promoted
			t.suspend(o)
		}
	case model.KeyExpired, model.KeyDeleted, model.KeyDropped:
		t.leave(o, nil)
	case model.KeyCreated, model.KeyChanged:
		switch {
		case t.j.o.Ownership != nil:
			shares, err := t.j.o.Ownership.Shares(o.Key, o.Stored())
			if err != nil && t.j.unread == nil {
				t.j.unread = err
			}
			t.leave(o, shares)
			for _, s := range shares {
				t.write(o, s)
			}
		case slices.Contains(t.keys, o.Key):
			t.write(o, model.Share{})
		}
	}
}

// leave is for a key that is gone, or has none but these holders any more.
func (t *tenures) leave(o *model.Observation, but []model.Share) {
	kept := t.copies[:0]
	for _, c := range t.copies {
		stays := slices.ContainsFunc(but, func(s model.Share) bool { return s.Holder == c.holder && s.Write == c.writes })
		if c.node == o.Node && c.key == o.Key && !stays {
			t.end(&c, o)
			continue
		}
		kept = append(kept, c)
	}
	t.copies = kept
}

// resume is for a node that is a primary from now on, with what it has.
func (t *tenures) resume(o *model.Observation) {
	for i := range t.copies {
		if c := &t.copies[i]; c.node == o.Node && c.tenure < 0 {
			t.begin(c, o, true)
		}
	}
}

// supersede is for the primary that was down and whose place a node takes.
func (t *tenures) supersede(o *model.Observation) {
	for i := range t.copies {
		c := &t.copies[i]
		if c.node != o.Node && slices.Contains(t.down, c.node) && t.j.server(c.node) == t.j.server(o.Node) {
			t.end(c, o)
		}
	}
}

// suspend is for a node that is none any more, and keeps what it has.
func (t *tenures) suspend(o *model.Observation) {
	for i := range t.copies {
		if c := &t.copies[i]; c.node == o.Node {
			t.end(c, o)
		}
	}
}

func (t *tenures) end(c *copied, o *model.Observation) {
	if c.tenure >= 0 {
		t.list[c.tenure].over = o
		c.tenure = -1
	}
}

// write is a key that was created or changed, with a holder if they can be read.
// The expiry alone may have changed: then its owner is the same. A holder who
// was there before goes on, whoever has changed something else of the key.
func (t *tenures) write(o *model.Observation, share model.Share) {
	holder := share.Holder
	i := slices.IndexFunc(t.copies, func(c copied) bool {
		return c.node == o.Node && c.key == o.Key && c.holder == holder && c.writes == share.Write
	})
	if i < 0 {
		i = len(t.copies)
		t.copies = append(t.copies, copied{node: o.Node, key: o.Key, holder: holder, writes: share.Write, tenure: -1})
	}
	c := &t.copies[i]
	if c.until = share.Until; c.tenure >= 0 {
		t.list[c.tenure].until = c.until
	}
	last := c.last
	c.last = o
	if c.tenure >= 0 && (holder != "" || t.same(&t.list[c.tenure], last, o)) {
		return
	}
	if holder != "" && c.wrote != nil { // on a replica, which tells of it again
		return
	}
	t.end(c, o)
	c.wrote = o
	if o.Primary {
		t.begin(c, o, false)
	}
}

// same reports whether the value is still the same acquisition's. What its
// Release, or its Acquire, writes in place of it may be another's.
func (t *tenures) same(old *tenure, last, o *model.Observation) bool {
	if o.Value == last.Value && (o.Owner == last.Owner || old.unknown) {
		return true // another expiry
	}
	y := t.j.h.Operation(o.Owner.Op)
	if y != nil && y.Kind != model.Extend && handsOver(last, o) {
		return false
	}
	if x := t.j.acquisitionOf(o.Owner); x != 0 {
		return x == old.acquisition
	}
	return o.Owner.Client == t.j.clientOf(old.by) // on its own account, such as a watchdog
}

func (t *tenures) begin(c *copied, o *model.Observation, resumed bool) {
	c.tenure = len(t.list)
	k := tenure{node: c.node, key: c.key, holder: c.holder, writes: c.writes, until: c.until, from: o.Stamp, resumed: resumed, wrote: c.wrote}
	if k.first = t.firstOf(c); k.first < c.tenure {
		like := &t.list[k.first]
		k.by, k.acquisition, k.unknown = like.by, like.acquisition, like.unknown
	} else {
		k.by, k.acquisition, k.unknown = t.whose(c.wrote, c.holder)
	}
	t.list = append(t.list, k)
}

// firstOf is the number of the first tenure of what the node has: the same was
// written by the same request, and has been copied, or came back with the node; or
// the holder was in that record already when the request changed something else of
// it. It is the next if there is none yet.
func (t *tenures) firstOf(c *copied) int {
	for i := range t.list {
		k := &t.list[i]
		same := k.wrote.Owner == c.wrote.Owner && (c.holder != "" || k.wrote.Value == c.wrote.Value)
		if same && k.like(c) {
			return k.first
		}
	}
	if c.holder == "" {
		return c.tenure
	}
	for i := range t.j.h.Observations {
		o := &t.j.h.Observations[i]
		if o.Seq >= c.wrote.Seq {
			break
		}
		if o.Key == c.key && o.Owner == c.wrote.Owner && o.Value == c.wrote.Value && t.sameServer(o.Node, c.node) {
			if k := t.standing(c, o); k != nil {
				return k.first
			}
		}
	}
	return c.tenure
}

// standing is the holder's tenure that stood on the node of an observation right
// after it, or nil.
func (t *tenures) standing(c *copied, o *model.Observation) *tenure {
	for i := range t.list {
		if k := &t.list[i]; k.node == o.Node && k.like(c) && k.stands(o.Seq) {
			return k
		}
	}
	return nil
}

// sameServer reports whether what one node has may be copied to the other.
func (t *tenures) sameServer(a, b string) bool {
	return t.j.o.Nodes < 2 || t.j.server(a) == t.j.server(b)
}

// ours reports whether a tenure counts as the acquisition's own: what it has
// written, or what an earlier one of the same thread has left behind, since
// some locks go by who they are and take up what they find of their own. What may
// be anybody's may be its own.
func (j *judge) ours(t *tenure, x *model.Operation) bool {
	if t.unknown {
		return true
	}
	if t.acquisition == 0 {
		return t.by.Client == x.Client
	}
	return t.acquisition == x.ID || t.acquisition < x.ID && sameThread(j.h.Operation(t.acquisition), x)
}

// quorum is on how many nodes an acquisition needs the key.
func (j *judge) quorum() int {
	if j.o.Nodes < 2 {
		return 1
	}
	return j.o.Nodes/2 + 1
}

// heldDuring reports whether the acquisition had the lock at some time from
// one event to another: its key on a primary, or on a quorum of independent
// servers. Of several primaries of one server, of which one has been cut off, each
// counts for it.
func (j *judge) heldDuring(x *model.Operation, key string, from, to int64) bool {
	return j.quorate(key, x, func(t *tenure) bool { return t.overlaps(from, to) })
}

// quorate reports whether the acquisition's tenures of which something is true
// are on a quorum of the servers.
func (j *judge) quorate(key string, x *model.Operation, is func(*tenure) bool) bool {
	var room [8]string
	servers := room[:0]
	all := j.tenures()
	for i := range all {
		t := &all[i]
		if !t.of(key) || !is(t) || !j.ours(t, x) {
			continue
		}
		if s := j.server(t.node); !slices.Contains(servers, s) {
			servers = append(servers, s)
		}
	}
	return len(servers) >= j.quorum()
}

// server is which of the servers a node belongs to, by the name of one of its
// nodes.
func (j *judge) server(node string) string {
	for _, nodes := range j.o.Servers {
		if slices.Contains(nodes, node) {
			return nodes[0]
		}
	}
	return node
}

// everStored reports whether any acquisition is known to have had one of the
// lock's keys.
func (j *judge) everStored() bool {
	return slices.ContainsFunc(j.tenures(), func(t tenure) bool { return t.acquisition != 0 })
}
