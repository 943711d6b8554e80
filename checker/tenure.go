package checker

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// tenure is a stretch in which an authority, or a node that takes itself for one, has
// the lock for one acquisition, by one of its records.
type tenure struct {
	// node is the authority, or the follower that becomes it ([model.Observation.Place]),
	// and key that of the record.
	node, key string
	// holder is the name of the holder in the record, if that can be read, writes whether
	// its share is a writer's, and until is when that ends by itself, 0 if it does not.
	holder string
	writes bool
	until  time.Duration
	// ends are when it was to end by itself, in the course of the observations.
	ends []lapse
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
	// from is when it began there: by a write, or when another record went that its own
	// had waited behind, or, if it goes on from where it was (resumed), because the
	// node was promoted or came back.
	from    model.Stamp
	resumed bool
	// over is what ended it: an expiry, a deletion, a write for another
	// acquisition, a drop, of its own record or of one that decides beside it; or that
	// the node crashed or is none any more.
	// Nil if it lasts to the end of the history.
	over *model.Observation
	// wrote is the observation that it began with, or of the copy that it goes
	// on with, or of the record that had waited.
	wrote *model.Observation
}

// lapse is when a share ends by itself, as an observation of its record tells.
type lapse struct {
	seq   int64
	until time.Duration
}

// written is where the record was written that the tenure rests on, or where it came
// back.
func (t *tenure) written() model.Stamp {
	if t.resumed {
		return t.from
	}
	return t.wrote.Stamp
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

// is reports whether it is such a share on the node.
func (c *copied) is(node string, s *model.Share) bool {
	return c.node == node && c.key == s.Key && c.holder == s.Holder && c.writes == s.Write
}

// copied is a share that a node's records grant, and the tenure that it is part of, -1
// while the node is a follower or down.
type copied struct {
	node, key, holder string
	writes            bool
	until             time.Duration
	ends              []lapse
	wrote             *model.Observation
	// last is what the node had of the key last.
	last   *model.Observation
	tenure int
}

// tenures are those of the lock, in the order in which they began.
type tenures struct {
	j       *judge
	list    []tenure
	records model.Records
	copies  []copied
	down    []string // nodes
	// keys are the lock's, each the share of its writer, if there is no
	// [Options].Ownership, and plain is where those shares are.
	keys  []string
	plain []model.Share
}

// tenures works out who had the lock in the stores, once.
func (j *judge) tenures() []tenure {
	if j.held == nil {
		t := tenures{j: j, list: make([]tenure, 0, len(j.claims)+4)}
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

// record is what the store calls what a lock lies in.
func (j *judge) record() string { return j.o.Terms.Record }

// expiring is the noun of what expired, when a record did: itself, or the session that it
// lived with.
func (j *judge) expiring(o *model.Observation) string {
	if o.Session == "" {
		return j.record()
	}
	return cmp.Or(j.o.Terms.Session, "session")
}

// notSingle is what is said of a lock of which it is not known who has it.
func (j *judge) notSingle() model.Verdict {
	return notApplicable("Not known to be the value of one " + j.record() + ", so nothing tells who truly has the lock.")
}

// noneStored is what is said where nobody was seen to get the lock.
func (j *judge) noneStored() model.Verdict {
	return notApplicable("No Acquire created a " + j.record() + " in the store.")
}

// see takes one observation into account.
func (t *tenures) see(o *model.Observation) {
	switch o.Kind {
	case model.Promoted:
		t.supersede(o)
		t.resume(o)
	case model.Returned:
		t.down = slices.DeleteFunc(t.down, func(node string) bool { return node == o.Place() })
		if o.Authority != "" {
			t.resume(o)
		} else {
			t.suspend(o)
		}
	case model.Crashed:
		t.down = append(t.down, o.Place())
		if t.j.o.Nodes < 2 { // of independent ones none takes its place, unless one is promoted
			t.suspend(o)
		}
	default:
		if (t.j.o.Ownership != nil || slices.Contains(t.keys, o.Key)) && t.records.See(o) {
			t.change(o)
		}
	}
}

// change is for a record that was written or is gone: some shares end, others begin,
// and those that rest on it may go on with another expiry.
func (t *tenures) change(o *model.Observation) {
	shares := t.shares(o.Place())
	t.leave(o, shares)
	for i := range shares {
		if s := &shares[i]; s.Key == o.Key {
			t.write(o, s)
		} else {
			t.follow(o, s)
		}
	}
}

// shares are those that the records of a node grant, each of a record that is there.
func (t *tenures) shares(node string) []model.Share {
	records := t.records.At(node)
	if t.j.o.Ownership == nil {
		t.plain = t.plain[:0]
		for i := range records {
			t.plain = append(t.plain, model.Share{Key: records[i].Key})
		}
		return t.plain
	}
	shares, err := t.j.o.Ownership.Shares(records)
	for i := range shares {
		if err == nil && t.records.Told(node, shares[i].Key) == nil {
			err = fmt.Errorf("a share of %q rests on %q, which is no record", shares[i].Holder, shares[i].Key)
		}
	}
	if err != nil {
		if t.j.unread == nil {
			t.j.unread = err
		}
		return nil
	}
	return shares
}

// leave is for a node whose records grant none but these shares any more.
func (t *tenures) leave(o *model.Observation, but []model.Share) {
	kept := t.copies[:0]
	for _, c := range t.copies {
		if c.node == o.Place() && !slices.ContainsFunc(but, func(s model.Share) bool { return c.is(c.node, &s) }) {
			t.end(&c, o)
			continue
		}
		kept = append(kept, c)
	}
	t.copies = kept
}

// follow is for a share of a record that is as it was. It begins if the record has
// waited behind the one that was observed.
func (t *tenures) follow(o *model.Observation, s *model.Share) {
	node := o.Place()
	if slices.ContainsFunc(t.copies, func(c copied) bool { return c.is(node, s) }) {
		return
	}
	c := t.add(node, s)
	c.wrote = t.records.Told(node, s.Key)
	c.last = c.wrote
	c.lapses(c.wrote, s)
	if o.Authority != "" {
		t.begin(c, o, false)
	}
}

func (t *tenures) add(node string, s *model.Share) *copied {
	t.copies = append(t.copies, copied{node: node, key: s.Key, holder: s.Holder, writes: s.Write, tenure: -1})
	return &t.copies[len(t.copies)-1]
}

// lapses notes when the share ends by itself.
func (c *copied) lapses(o *model.Observation, s *model.Share) {
	if c.until = s.Until; s.Until != 0 {
		c.ends = append(c.ends, lapse{o.Seq, s.Until})
	}
}

// resume is for a node that serves from now on, with what it has.
func (t *tenures) resume(o *model.Observation) {
	for i := range t.copies {
		if c := &t.copies[i]; c.node == o.Place() && c.tenure < 0 {
			t.begin(c, o, true)
		}
	}
}

// supersede is for the node that was down and whose place a node takes.
func (t *tenures) supersede(o *model.Observation) {
	for i := range t.copies {
		c := &t.copies[i]
		if c.node != o.Place() && slices.Contains(t.down, c.node) && t.j.server(c.node) == t.j.server(o.Place()) {
			t.end(c, o)
		}
	}
}

// suspend is for a node that is none any more, and keeps what it has.
func (t *tenures) suspend(o *model.Observation) {
	for i := range t.copies {
		if c := &t.copies[i]; c.node == o.Place() {
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

// write is for a share of a record that was created or changed. The expiry alone
// may have changed: then its owner is the same. A holder who was there before
// stays, even if another has changed other parts of the record.
func (t *tenures) write(o *model.Observation, s *model.Share) {
	var c *copied
	if i := slices.IndexFunc(t.copies, func(c copied) bool { return c.is(o.Place(), s) }); i >= 0 {
		c = &t.copies[i]
	} else {
		c = t.add(o.Place(), s)
	}
	if c.lapses(o, s); c.tenure >= 0 {
		t.list[c.tenure].until, t.list[c.tenure].ends = c.until, c.ends
	}
	last := c.last
	c.last = o
	if c.tenure >= 0 && (s.Holder != "" || t.same(&t.list[c.tenure], last, o)) {
		return
	}
	if s.Holder != "" && c.wrote != nil { // on a follower, which tells of it again
		return
	}
	t.end(c, o)
	c.wrote = o
	if o.Authority != "" {
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
	k := tenure{node: c.node, key: c.key, holder: c.holder, writes: c.writes, until: c.until, ends: c.ends, from: o.Stamp, resumed: resumed, wrote: c.wrote}
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
		if o.Key == c.key && o.Owner == c.wrote.Owner && o.Value == c.wrote.Value && t.sameServer(o.Place(), c.node) {
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
		if k := &t.list[i]; k.node == o.Place() && k.like(c) && k.stands(o.Seq) {
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
// one event to another: its key at an authority, or on a quorum of independent
// servers. Of several nodes that serve of one server, of which one has been cut off, each
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
