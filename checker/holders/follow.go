package holders

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// This file finds the tenures by following the records of each node through the history.

// tenures has the tenures of the lock, in the order in which they began.
type tenures struct {
	hs      *Holders
	list    []Tenure
	records model.Records
	copies  []copied
	down    []string // nodes
	// keys are the lock's if there is no [Options].Ownership: each is the share of its writer. plain has these shares.
	keys  []string
	plain []model.Share
	// Indexes of tenures: by the event that ended each, by the event that wrote it, the first ones (when the list is
	// complete), by node, key and holder, and by the writer of these.
	overs, written []int // in the order of these events
	firsts         *grouped[int]
	likes          map[likeness][]int // of those with a holder
	origins        map[origin]int
}

// likeness identifies a tenure by node, key and holder.
type likeness struct {
	node, key, holder string
	writes            bool
}

// origin identifies a tenure by its likeness and the writer of its record.
type origin struct {
	by model.Origin
	likeness
	value string // empty if the holder is known
}

// copied is a share that a node's records grant. tenure is the number of the tenure that it belongs to, -1 while the node
// is a follower or down.
type copied struct {
	node, key, holder string
	writes            bool
	until             time.Duration
	ends              []lapse
	wrote             *model.Observation
	// last is the node's last observation of the key.
	last   *model.Observation
	tenure int
}

// is reports whether it is the copy of share s on the node.
func (c *copied) is(node string, s *model.Share) bool {
	return c.node == node && c.key == s.Key && c.holder == s.Holder && c.writes == s.Write
}

// lapses records when the share ends by itself.
func (c *copied) lapses(o *model.Observation, s *model.Share) {
	if c.until = s.Until; s.Until != 0 {
		c.ends = append(c.ends, lapse{o.Seq, s.Until})
	}
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
		if t.hs.o.Nodes < 2 { // of independent ones none takes its place, unless one is promoted
			t.suspend(o)
		}
	default:
		if (t.hs.o.Ownership != nil || slices.Contains(t.keys, o.Key)) && t.records.See(o) {
			t.change(o)
		}
	}
}

// change handles a record that was written or removed: some shares end, others begin, and those that depend on it may get
// another expiry.
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

// shares returns the shares that the records of a node grant, each of a record that is there.
func (t *tenures) shares(node string) []model.Share {
	records := t.records.At(node)
	if t.hs.o.Ownership == nil {
		t.plain = t.plain[:0]
		for i := range records {
			t.plain = append(t.plain, model.Share{Key: records[i].Key})
		}
		return t.plain
	}
	shares, err := t.hs.o.Ownership.Shares(records)
	for i := range shares {
		if err == nil && t.records.Last(node, shares[i].Key) == nil {
			err = fmt.Errorf("a share of %q rests on %q, which is no record", shares[i].Holder, shares[i].Key)
		}
	}
	if err != nil {
		if t.hs.unread == nil {
			t.hs.unread = err
		}
		return nil
	}
	return shares
}

// leave ends the shares of a node that its records no longer grant.
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

// follow handles a share of a record that did not change. The share begins if the record had been waiting behind the
// observed one.
func (t *tenures) follow(o *model.Observation, s *model.Share) {
	node := o.Place()
	if slices.ContainsFunc(t.copies, func(c copied) bool { return c.is(node, s) }) {
		return
	}
	c := t.add(node, s)
	c.wrote = t.records.Last(node, s.Key)
	c.last = c.wrote
	c.lapses(c.wrote, s)
	if o.Authority != "" {
		t.begin(c, o, false)
	}
}

// write handles a share of a record that was created or changed. If only the expiry changed, the owner is the same. A
// holder that was in the record before keeps its share, even if another changed other parts of the record.
func (t *tenures) write(o *model.Observation, s *model.Share) {
	var c *copied
	if i := slices.IndexFunc(t.copies, func(c copied) bool { return c.is(o.Place(), s) }); i >= 0 {
		c = &t.copies[i]
	} else {
		c = t.add(o.Place(), s)
	}
	if c.lapses(o, s); c.tenure >= 0 {
		t.list[c.tenure].Until, t.list[c.tenure].ends = c.until, c.ends
	}
	last := c.last
	c.last = o
	if c.tenure >= 0 && (s.Holder != "" || t.same(&t.list[c.tenure], last, o)) {
		return
	}
	if s.Holder != "" && c.wrote != nil { // a follower's, which shows it again
		return
	}
	t.end(c, o)
	c.wrote = o
	if o.Authority != "" {
		t.begin(c, o, false)
	}
}

func (t *tenures) add(node string, s *model.Share) *copied {
	t.copies = append(t.copies, copied{node: node, key: s.Key, holder: s.Holder, writes: s.Write, tenure: -1})
	return &t.copies[len(t.copies)-1]
}

// resume begins the shares of a node that serves from now on.
func (t *tenures) resume(o *model.Observation) {
	for i := range t.copies {
		if c := &t.copies[i]; c.node == o.Place() && c.tenure < 0 {
			t.begin(c, o, true)
		}
	}
}

// supersede ends the shares of a node that was down, when another takes its place.
func (t *tenures) supersede(o *model.Observation) {
	for i := range t.copies {
		c := &t.copies[i]
		if c.node != o.Place() && slices.Contains(t.down, c.node) && t.hs.Server(c.node) == t.hs.Server(o.Place()) {
			t.end(c, o)
		}
	}
}

// suspend ends the shares of a node that no longer serves, but keeps its records.
func (t *tenures) suspend(o *model.Observation) {
	for i := range t.copies {
		if c := &t.copies[i]; c.node == o.Place() {
			t.end(c, o)
		}
	}
}

func (t *tenures) begin(c *copied, o *model.Observation, resumed bool) {
	c.tenure = len(t.list)
	k := Tenure{Node: c.node, Key: c.key, Holder: c.holder, Writes: c.writes, Until: c.until, ends: c.ends, From: o.Stamp, Resumed: resumed, Wrote: c.wrote}
	if k.First = t.firstOf(c); k.First < c.tenure {
		like := &t.list[k.First]
		k.By, k.Acquisition, k.Unknown = like.By, like.Acquisition, like.Unknown
	} else {
		k.By, k.Acquisition, k.Unknown = t.writtenFor(c.wrote, c.holder)
	}
	t.list = append(t.list, k)
	n, _ := slices.BinarySearchFunc(t.written, k.Wrote.Seq+1, func(i int, seq int64) int { return cmp.Compare(t.list[i].Wrote.Seq, seq) })
	t.written = slices.Insert(t.written, n, c.tenure)
	if c.holder != "" {
		if t.likes == nil {
			t.likes = map[likeness][]int{}
		}
		t.likes[c.likeness(c.node)] = append(t.likes[c.likeness(c.node)], c.tenure)
	}
	if _, known := t.origins[c.origin()]; !known {
		t.origins[c.origin()] = k.First
	}
}

// likeness identifies a share on a node; an empty node stands for any.
func (c *copied) likeness(node string) likeness { return likeness{node, c.key, c.holder, c.writes} }

func (c *copied) origin() origin {
	o := origin{by: c.wrote.Owner, likeness: c.likeness("")}
	if c.holder == "" {
		o.value = c.wrote.Value
	}
	return o
}

func (t *tenures) end(c *copied, o *model.Observation) {
	if c.tenure >= 0 {
		t.list[c.tenure].Over = o
		t.overs = append(t.overs, c.tenure)
		c.tenure = -1
	}
}

// same reports whether the value still belongs to the same acquisition. A value that the acquisition's own Release or
// Acquire writes in its place may be another's.
func (t *tenures) same(old *Tenure, last, o *model.Observation) bool {
	if o.Value == last.Value && (o.Owner == last.Owner || old.Unknown) {
		return true // another expiry
	}
	y := t.hs.h.Operation(o.Owner.Op)
	if y != nil && y.Kind != model.Extend && changesHolder(last, o) {
		return false
	}
	if x := t.hs.AcquisitionOf(o.Owner); x != 0 {
		return x == old.Acquisition
	}
	return o.Owner.Client == t.hs.ClientOf(old.By) // by the process itself, such as by a watchdog
}

// firstOf returns the number of the first tenure of a node's share: an earlier tenure that the same request wrote and that
// was copied or restored with the node, or in which the holder already was when the request changed another part of the
// record. Without one it is the number of the next tenure.
func (t *tenures) firstOf(c *copied) int {
	if first, known := t.origins[c.origin()]; known {
		return first
	}
	if c.holder == "" {
		return c.tenure
	}
	for _, o := range t.hs.ownedBy(c.wrote.Owner.Op) {
		if o.Seq >= c.wrote.Seq {
			break
		}
		if o.Key == c.key && o.Owner == c.wrote.Owner && o.Value == c.wrote.Value && t.sameServer(o.Place(), c.node) {
			if k := t.standing(c, o); k != nil {
				return k.First
			}
		}
	}
	return c.tenure
}

// standing returns the holder's tenure that was active on the node of an observation right after it, or nil.
func (t *tenures) standing(c *copied, o *model.Observation) *Tenure {
	list := t.likes[c.likeness(o.Place())]
	n, _ := slices.BinarySearchFunc(list, o.Seq, func(i int, seq int64) int {
		if t.list[i].From.Seq <= seq {
			return -1
		}
		return 1
	})
	if n > 0 && t.list[list[n-1]].Stands(o.Seq) { // a node has a share once at a time
		return &t.list[list[n-1]]
	}
	return nil
}

// sameServer reports whether records may be copied between the two nodes.
func (t *tenures) sameServer(a, b string) bool {
	return t.hs.o.Nodes < 2 || t.hs.Server(a) == t.hs.Server(b)
}
