package cell

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// moment is one step of a history that a verdict may depend on, without its time and
// without names that differ from run to run.
type moment struct {
	seq  int64
	what uint64 // kind and outcome
	who  string // client, node or resource
}

// story lists the observable steps of a history in the order of their events.
func story(h *model.History) []moment {
	list := make([]moment, 0, 2*len(h.Operations)+len(h.Observations))
	for i := range h.Operations {
		op := &h.Operations[i]
		list = append(list, moment{op.Call.Seq, label("call", string(op.Kind)), op.Client})
		if op.Return.Happened() {
			list = append(list, moment{op.Return.Seq, label("return", string(op.Kind), string(op.Result), truth(op.NotHeld)), op.Client})
		}
	}
	for i := range h.Observations {
		o := &h.Observations[i]
		if o.Note != nil {
			continue
		}
		own := truth(o.Owner.Op == o.By.Op) + truth(o.OldOwner == o.Owner) + truth(o.Authority != "")
		list = append(list, moment{o.Seq, label(string(o.Kind), own, truth(o.For > h.TTL)), o.Node})
	}
	for i := range h.Statements {
		s := &h.Statements[i]
		list = append(list, moment{s.Seq, label("says", string(s.Kind), s.Name, truth(s.OK)), s.Process})
	}
	for i := range h.Actions {
		a := &h.Actions[i]
		list = append(list, moment{a.Call.Seq, label("call", a.Object), a.Process})
		if a.Return.Happened() {
			list = append(list, moment{a.Return.Seq, label("return", a.Object, string(a.Result)), a.Process})
		}
	}
	slices.SortStableFunc(list, func(a, b moment) int { return cmp.Compare(a.seq, b.seq) })
	return list
}

func truth(b bool) string {
	if b {
		return "+"
	}
	return "-"
}

func label(words ...string) uint64 {
	var d sim.Digest
	for _, w := range words {
		d.String(w)
	}
	return d.Sum()
}

// classOf returns a hash of the story: what happened, to which actor, in which order.
func classOf(list []moment) uint64 {
	var d sim.Digest
	for i := range list {
		d.Uint(list[i].what)
		d.String(list[i].who)
	}
	return d.Sum()
}

// The kinds of features, and whether one actor was concerned or two.
var (
	counted, own, pairs, threes = digestOf("count"), digestOf("own"), digestOf("pair"), digestOf("three")
	same, other                 = label(truth(true)), label(truth(false))
)

func digestOf(word string) (d sim.Digest) {
	d.String(word)
	return d
}

// featuresOf returns the features by which a search recognizes new stories: how often each
// step occurred, and which step followed which, at one actor or at two.
func featuresOf(list []moment) []uint64 {
	counts := make(map[uint64]int, 32)
	last := make(map[string]uint64, 8) // of each client and node
	features := make([]uint64, 0, 4*len(list))
	add := func(d sim.Digest, parts ...uint64) { // d is the digest of the feature's kind
		for _, p := range parts {
			d.Uint(p)
		}
		features = append(features, d.Sum())
	}
	var before, beforeThat moment
	for _, r := range list {
		counts[r.what]++
		n := counts[r.what]
		if n > 6 {
			n = 6 + bits.Len(uint(n))
		}
		add(counted, r.what, uint64(n))
		add(own, last[r.who], r.what)
		pair := other
		if before.who == r.who {
			pair = same
		}
		add(pairs, before.what, r.what, pair)
		add(threes, beforeThat.what, before.what, r.what, pair)
		last[r.who] = r.what
		before, beforeThat = r, before
	}
	slices.Sort(features)
	return slices.Compact(features)
}
