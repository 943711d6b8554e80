package model

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Holding is a stretch in which a node that takes itself for a primary had a
// share of a lock for one holder: what was true, by that node.
type Holding struct {
	// Node is where; of a holding on a quorum it is empty.
	Node, Key string
	// Holder is whom the key named, and Write is set if it may write.
	Holder string
	Write  bool
	// Count is the most that it had.
	Count int64
	// By is who made it: the operation of the acquisition, if that was known.
	By Origin
	// From is when it began: when it was written, or, if it is Resumed, when the
	// node became a primary that had it already.
	From    Stamp
	Resumed bool
	// Over is when it was no more, and Ended what ended it: it expired, was
	// deleted, changed or dropped, or the node crashed or is no primary any
	// more. Never, if it stood at the end.
	Over  Stamp
	Ended ObservationKind
	// Until is when it was last set to end by itself, in the run's time after
	// the node's clock; 0 if it was not. It may have ended then without
	// anything to be observed.
	Until time.Duration
}

// Stands reports whether the holding stands right after the event, at the given
// time of the run.
func (h *Holding) Stands(at Stamp) bool {
	return h.From.Seq <= at.Seq && (!h.Over.Happened() || h.Over.Seq > at.Seq) && (h.Until == 0 || at.At < h.Until)
}

// Holdings are the stretches in which holders had a lock, by the view, in the
// order in which they began. Independent is set if each node is a primary of
// its own, so that none takes the place of one that crashed: it keeps what it
// had, for as long as it keeps the key.
//
// Observations must be in the order of their event numbers.
func Holdings(view Ownership, observations []Observation, independent bool) ([]Holding, error) {
	t := holdingTracker{view: view, independent: independent}
	for i := range observations {
		if err := t.see(&observations[i]); err != nil {
			return nil, fmt.Errorf("event %d on %s: %w", observations[i].Seq, observations[i].Node, err)
		}
	}
	return t.list, nil
}

// holdingTracker follows what each node has.
type holdingTracker struct {
	view        Ownership
	independent bool
	list        []Holding
	copies      []shareCopy
}

// shareCopy is a share that a node has, as it was last written there, and its
// holding in the list, -1 while the node is a replica or down.
type shareCopy struct {
	node, key string
	Share
	by      Origin
	holding int
}

// same reports whether s is the same holder's, in the same mode.
func (c *shareCopy) same(s Share) bool { return c.Holder == s.Holder && c.Write == s.Write }

func (t *holdingTracker) see(o *Observation) error {
	switch o.Kind {
	case Promoted:
		t.resume(o)
	case Returned:
		if o.Primary {
			t.resume(o)
		} else {
			t.suspend(o)
		}
	case Crashed:
		if !t.independent {
			t.suspend(o)
		}
	case KeyExpired, KeyDeleted, KeyDropped:
		t.keep(o, nil)
	case KeyCreated, KeyChanged:
		shares, err := t.view.Shares(o.Key, o.Value)
		if err != nil {
			return err
		}
		t.keep(o, shares)
	}
	return nil
}

// keep makes the shares those that the key has on the node.
func (t *holdingTracker) keep(o *Observation, shares []Share) {
	t.copies = slices.DeleteFunc(t.copies, func(c shareCopy) bool {
		gone := c.node == o.Node && c.key == o.Key && !slices.ContainsFunc(shares, c.same)
		if gone {
			t.end(&c, o)
		}
		return gone
	})
	for _, s := range shares {
		if s.Until == 0 || o.ExpiresAt != 0 && o.ExpiresAt < s.Until {
			s.Until = o.ExpiresAt
		}
		i := slices.IndexFunc(t.copies, func(c shareCopy) bool { return c.node == o.Node && c.key == o.Key && c.same(s) })
		if i < 0 {
			i = len(t.copies)
			t.copies = append(t.copies, shareCopy{node: o.Node, key: o.Key, by: o.By, holding: -1})
		}
		c := &t.copies[i]
		c.Share = s
		switch {
		case c.holding >= 0:
			h := &t.list[c.holding]
			h.Count, h.Until = max(h.Count, s.Count), s.Until
		case o.Primary:
			t.begin(c, o, false)
		}
	}
}

// resume is for a node that is a primary from now on, with what it has.
func (t *holdingTracker) resume(o *Observation) {
	for i := range t.copies {
		if c := &t.copies[i]; c.node == o.Node && c.holding < 0 {
			t.begin(c, o, true)
		}
	}
}

// suspend is for a node that is none any more, and keeps what it has.
func (t *holdingTracker) suspend(o *Observation) {
	for i := range t.copies {
		if c := &t.copies[i]; c.node == o.Node {
			t.end(c, o)
		}
	}
}

func (t *holdingTracker) begin(c *shareCopy, o *Observation, resumed bool) {
	c.holding = len(t.list)
	t.list = append(t.list, Holding{
		Node: c.node, Key: c.key, Holder: c.Holder, Write: c.Write, Count: c.Count, By: c.by,
		From: o.Stamp, Resumed: resumed, Until: c.Until,
	})
}

func (t *holdingTracker) end(c *shareCopy, o *Observation) {
	if c.holding >= 0 {
		h := &t.list[c.holding]
		h.Over, h.Ended = o.Stamp, o.Kind
		c.holding = -1
	}
}

// Quorum are the stretches in which a holder had the same share on so many
// nodes at once, in the order in which they began. One is made by whom the last
// of these shares was, and ended by what took away the first that it could not
// do without; it ends by itself when fewer of them are left.
func Quorum(holdings []Holding, need int) []Holding {
	var all []Holding
	var done []Holding // of each holder, one
	for i := range holdings {
		h := &holdings[i]
		if !slices.ContainsFunc(done, h.of) {
			done = append(done, *h)
			all = append(all, quorumOf(holdings, h, need)...)
		}
	}
	slices.SortStableFunc(all, func(a, b Holding) int { return cmp.Compare(a.From.Seq, b.From.Seq) })
	return all
}

// of reports whether other is the same holder's, in the same mode, at a key of
// the same name.
func (h *Holding) of(other Holding) bool {
	return h.Key == other.Key && h.Holder == other.Holder && h.Write == other.Write
}

// quorumOf are the quorums of one holder.
func quorumOf(holdings []Holding, whose *Holding, need int) []Holding {
	var mine []Holding
	var ends []int // indexes into mine, in the order in which they end
	for _, h := range holdings {
		if whose.of(h) {
			mine = append(mine, h)
		}
	}
	for i := range mine {
		if mine[i].Over.Happened() {
			ends = append(ends, i)
		}
	}
	slices.SortStableFunc(ends, func(a, b int) int { return cmp.Compare(mine[a].Over.Seq, mine[b].Over.Seq) })

	var all []Holding
	var open []int
	for next := 0; next < len(mine) || len(ends) > 0; {
		if len(ends) > 0 && (next == len(mine) || mine[ends[0]].Over.Seq <= mine[next].From.Seq) {
			gone := ends[0]
			if len(open) == need {
				last := &all[len(all)-1]
				last.Over, last.Ended = mine[gone].Over, mine[gone].Ended
			}
			ends = ends[1:]
			open = slices.DeleteFunc(open, func(i int) bool { return i == gone })
			if len(open) >= need {
				all[len(all)-1].Until = leftAt(mine, open, need)
			}
			continue
		}
		open = append(open, next)
		if len(open) == need {
			q := mine[next]
			q.Node, q.Over, q.Ended = "", Stamp{}, ""
			all = append(all, q)
		}
		if len(open) >= need {
			last := &all[len(all)-1]
			last.Until = leftAt(mine, open, need)
			last.Count = max(last.Count, mine[next].Count)
		}
		next++
	}
	return all
}

// leftAt is when fewer than need of the open holdings are left, if each ends
// when it is set to; 0 if that is never.
func leftAt(all []Holding, open []int, need int) time.Duration {
	var untils []time.Duration
	for _, i := range open {
		if all[i].Until != 0 {
			untils = append(untils, all[i].Until)
		}
	}
	forever := len(open) - len(untils)
	if forever >= need {
		return 0
	}
	slices.Sort(untils)
	return untils[len(open)-need]
}
