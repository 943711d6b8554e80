package judging

import "github.com/lockpick-dev/lockpick/model"

// Hold is a stretch in which a client held an object, read as short as it can be.
type Hold struct {
	// Acquire began it.
	Acquire *model.Call
	// From is the event at which the acquire returned. To is the event at which the hold ended at the latest: its release was
	// called, it was no longer valid, or its client crashed; 0 if it never did.
	From, To int64

	given bool // its release was called
}

// Holds returns the certain holds of an object, as far as they lie between two events, in the order of their acquires.
func (j *Judgement) Holds(v *Object, from, to int64) (holds []Hold) {
	all := holdings{of: make(map[int]*Hold), by: make(map[string][]*Hold)}
	for _, c := range v.inOrder() {
		all.add(c)
	}
	for _, h := range all.list {
		if h.From <= to && (h.To == 0 || h.To >= from) {
			h.Acquire = j.Call(h.Acquire.ID)
			holds = append(holds, *h)
		}
	}
	return holds
}

// holdings are the holds so far: by their acquire, and those not given back, by the owner, by the permit and by the client
// that may crash.
type holdings struct {
	list []*Hold
	of   map[int]*Hold
	by   map[string][]*Hold
}

// The keys of holdings by name.
func ownerKey(name string) string  { return "owner " + name }
func permitKey(name string) string { return "permit " + name }
func clientKey(name string) string { return "client " + name }

// add adds a call. Calls come in the order in which they were called.
func (a *holdings) add(c *model.Call) {
	switch {
	case c.Op.Acquires():
		if c.Outcome == model.OK && !c.Pending() {
			a.begin(c)
		}
	case c.Op == model.Extend:
		if h := a.meant(c); h != nil && c.Outcome == model.OK && c.Until != 0 && h.To != 0 {
			h.To = max(h.To, c.Until)
		}
	case c.Op == model.Crash:
		for _, h := range a.by[clientKey(c.Client)] {
			h.end(c.Call)
		}
		delete(a.by, clientKey(c.Client))
	case c.Op == model.Expire:
		if h := a.meant(c); h != nil {
			h.end(c.Call)
		}
	case c.Op.Releases():
		a.release(c)
	}
}

// begin adds the hold of an acquire, unless it had ended when that returned.
func (a *holdings) begin(c *model.Call) {
	if c.Until != 0 && c.Until <= c.Return {
		return
	}
	h := &Hold{Acquire: c, From: c.Return, To: c.Until}
	a.list = append(a.list, h)
	a.of[c.ID] = h
	keys := []string{ownerKey(c.Holder()), clientKey(c.Client)}
	if c.Permit != "" {
		keys = append(keys, permitKey(c.Permit))
	}
	for _, key := range keys {
		a.by[key] = append(a.by[key], h)
	}
}

// release ends the holds that a release names: of several of one owner as many as it gives back. One of unknown outcome
// may have ended them.
func (a *holdings) release(c *model.Call) {
	left := c.Amount()
	for left > 0 {
		h := a.meant(c)
		if h == nil {
			return
		}
		left -= h.Acquire.Amount()
		h.given = true
		h.end(c.Call)
	}
}

// meant returns the open hold that a call names, or nil.
func (a *holdings) meant(c *model.Call) *Hold {
	if h := a.of[c.Of]; c.Of != 0 {
		if h == nil || h.given || h.From >= c.Call {
			return nil
		}
		return h
	}
	key := ownerKey(c.Holder())
	if c.Permit != "" {
		key = permitKey(c.Permit)
	}
	over := func(h *Hold) bool { return h.given || h.To != 0 && h.To <= c.Call }
	for len(a.by[key]) > 0 && over(a.by[key][0]) {
		a.by[key] = a.by[key][1:]
	}
	for _, h := range a.by[key] {
		if !over(h) && h.From < c.Call && answers(c.Op, h.Acquire.Op) {
			return h
		}
	}
	return nil
}

// end ends the hold at an event, unless it has ended before.
func (h *Hold) end(event int64) {
	if h.From < event && (h.To == 0 || h.To > event) {
		h.To = event
	}
}

// answers reports whether a call is about the hold of an acquire of the kind: readers and writers have operations of their
// own.
func answers(op, acquire model.OpKind) bool {
	switch op {
	case model.ReleaseRead:
		return acquire == model.AcquireRead
	case model.ReleaseWrite:
		return acquire == model.AcquireWrite
	}
	return true
}
