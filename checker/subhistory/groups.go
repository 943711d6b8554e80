package subhistory

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// held reports whether objects of the kind are held and given back.
func held(kind model.Kind) bool {
	return slices.ContainsFunc(kind.Ops(), model.OpKind.Acquires)
}

// triesFailed reports whether a failed try is among the calls: it implies that something was held.
func triesFailed(calls []model.Call) bool {
	return slices.ContainsFunc(calls, func(c model.Call) bool { return c.Try && c.Outcome == model.Failed })
}

// idle returns the calls that change nothing, each a group of its own. Left out are a release that failed, which may have
// ended its hold all the same; an access with a token, which the resource may have seen; and a waiter in the queue of a
// fair mutex, which may be why a try failed.
func idle(spec model.Spec, calls []model.Call) (groups [][]int) {
	queued := spec.Kind == model.KindFair && triesFailed(calls)
	for i := range calls {
		c := &calls[i]
		failed := c.Outcome == model.Failed && !c.Op.Releases() && (c.Try || !queued)
		passive := c.Op == model.Read || c.Op == model.Await && spec.Kind == model.KindLatch
		seen := c.Fenced && !held(spec.Kind)
		if (failed || passive) && !seen {
			groups = append(groups, []int{c.ID})
		}
	}
	return groups
}

// unread returns the writes of values that no read has returned and no Cas expects, unless accesses carry tokens or a Cas
// was refused: any write may have caused the refusal.
func unread(calls []model.Call) (groups [][]int) {
	read := make(map[int64]bool)
	for i := range calls {
		c := &calls[i]
		if c.Fenced || c.Op == model.Cas && c.Refused {
			return nil
		}
		switch {
		case c.Op == model.Read && c.Valued && c.Outcome == model.OK:
			read[c.Value] = true
		case c.Op == model.Cas:
			read[c.Expected] = true
		}
	}
	for i := range calls {
		if c := &calls[i]; (c.Op == model.Write || c.Op == model.Cas) && !read[c.N] {
			groups = append(groups, []int{c.ID})
		}
	}
	return groups
}

// party is one owner, or several owners of which one ends the holds of another.
type party struct {
	balance  int64 // the number of its holds if none ended by itself
	pending  bool  // something of its own has an unknown outcome
	returned int64 // the last return
	group    []int
}

// rests reports whether the party holds nothing and has nothing under way
// before an event.
func (p *party) rests(event int64) bool {
	return p.balance == 0 && !p.pending && event > p.returned
}

func (p *party) add(c *model.Call) {
	switch {
	case c.Pending():
		p.pending = true
		return
	case c.Outcome == model.OK && c.Op.Acquires():
		p.balance += c.Amount()
	case c.Outcome == model.OK && c.Op.Releases():
		p.balance -= c.Amount()
	}
	p.returned = max(p.returned, c.Return)
}

// holds returns the calls of each party from one rest to the next, in the order of calls.
func holds(calls []model.Call) (groups [][]int) {
	names := parties(calls)
	all := make(map[string]*party)
	var order []*party
	for i := range calls {
		c := &calls[i]
		if c.Op == model.Crash {
			continue
		}
		p := all[names[i]]
		if p == nil {
			p = &party{}
			all[names[i]] = p
			order = append(order, p)
		}
		if p.rests(c.Call) && p.group != nil {
			groups = append(groups, p.group)
			p.group = nil
		}
		p.group = append(p.group, c.ID)
		p.add(c)
	}
	for _, p := range order {
		groups = append(groups, p.group)
	}
	return groups
}

// rests returns the indexes of the calls before which all parties rested.
func rests(calls []model.Call) (places []int) {
	names := parties(calls)
	all := make(map[string]*party)
	busy := 0 // parties that hold something or have a pending call
	var returned int64
	for i := range calls {
		c := &calls[i]
		if c.Op == model.Crash {
			return places // a crash or lapse may end holds at any time
		}
		if i > 0 && busy == 0 && c.Call > returned {
			places = append(places, i)
		}
		p := all[names[i]]
		if p == nil {
			p = &party{}
			all[names[i]] = p
		}
		before := p.balance != 0 || p.pending
		p.add(c)
		after := p.balance != 0 || p.pending
		if after && !before {
			busy++
		} else if before && !after {
			busy--
		}
		returned = max(returned, p.returned)
	}
	return places
}

// parties returns the party of each call: its owner, or the owner that represents several.
func parties(calls []model.Call) []string {
	stands := make(map[string]string)
	var find func(string) string
	find = func(name string) string {
		if up, ok := stands[name]; ok && up != name {
			top := find(up)
			stands[name] = top
			return top
		}
		return name
	}
	holders := make(map[int]string)
	for i := range calls {
		holders[calls[i].ID] = calls[i].Holder()
	}
	join := func(a, b string) { stands[find(a)] = find(b) }
	for i := range calls {
		c := &calls[i]
		if other, ok := holders[c.Of]; c.Of != 0 && ok {
			join(c.Holder(), other)
		}
		if c.Permit != "" {
			join(c.Holder(), "permit "+c.Permit)
		}
	}
	names := make([]string, len(calls))
	for i := range calls {
		names[i] = find(calls[i].Holder())
	}
	return names
}
