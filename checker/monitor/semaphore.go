package monitor

import (
	"fmt"
	"slices"
	"sort"

	"github.com/lockpick-dev/lockpick/model"
)

// semaphore judges a semaphore with a number of permits.
//
// # Holds
//
// Permits are certainly held from the return of their acquire to the call of the release that may give them back, or the
// crash of their client. Linearizing acquires at their returns and releases at their calls makes every hold as short as it
// can be. So without failed tries a history is legal if and only if at no event more permits are certainly held than
// exist, and no successful release gives back more than its owner can have.
//
// # Tries
//
// A failed try needs an instant at which too few permits are free. If enough permits are certainly held at some event of
// the try, it is explained. If enough are not even possibly held, each hold lasting from the call of its acquire to the
// return of its release, nothing explains it. In between, holds must be made longer to explain one try, which takes
// permits from others and so may rule out the explanation of another try: with several permits no one choice is best for
// all tries. That is a doubt. [Judge] then looks for an order by a simple rule (see packing), and if it finds none falls
// back on a search.
//
// # Calls of unknown outcome
//
// A release of unknown outcome may give back its permits at once, which is best for all others. If its owner goes on, the
// number of its permits is known only within bounds, and where the number matters that is a doubt. An acquire of unknown
// outcome need not have taken effect; if it has, that can only help to explain a failed try.
type semaphore struct {
	verdict
	permits int64
	now     int64
	owners  map[string]*purse
	// held is the number of permits certainly held, and wanted how many more may be, by calls that are under way or of unknown
	// outcome.
	held, wanted int64

	tries map[int]*attempt // under way
	last  *model.Call      // the acquire that succeeded last
}

// purse has the permits of one owner.
type purse struct {
	under *model.Call
	// least and most bound the number of its permits. freeing of them are being given back.
	least, most, freeing int64
	// parts are the holds that it consists of, in the order of their IDs; vague is set if the size of each is unknown.
	parts []part
	vague bool
	// clients are the processes that have acquired permits for the owner.
	clients []string
	// pending is set if an acquire of the owner has no known outcome; gone if its permits, or those of an acquire under way,
	// may end at any time.
	pending, gone bool
}

// part is the rest of a hold, and the process that acquired it.
type part struct {
	id     int
	n      int64
	client string
}

// free takes up to n permits from the hold that a release names, or else from the last ones, and returns how many it took.
func (p *purse) free(c *model.Call) int64 {
	left := c.Amount()
	for i := len(p.parts) - 1; i >= 0 && left > 0; i-- {
		if x := &p.parts[i]; c.Of == 0 || c.Of == x.id {
			n := min(x.n, left)
			x.n -= n
			left -= n
		}
	}
	p.parts = slices.DeleteFunc(p.parts, func(x part) bool { return x.n == 0 })
	return c.Amount() - left
}

// has reports whether the hold is among those of the owner.
func (p *purse) has(id int) bool {
	return slices.ContainsFunc(p.parts, func(x part) bool { return x.id == id })
}

// empty reports whether the owner has nothing.
func (p *purse) empty() bool {
	return p.under == nil && p.most == 0 && len(p.parts) == 0 && !p.pending && !p.gone
}

// attempt is a try under way, with the most permits held since its call, certainly and possibly.
type attempt struct{ certain, possible int64 }

func newSemaphore(permits int64) *semaphore {
	return &semaphore{permits: permits, owners: make(map[string]*purse), tries: make(map[int]*attempt)}
}

// note updates the tries under way.
func (m *semaphore) note() {
	for _, t := range m.tries { // unordered: each is looked at by itself
		t.certain = max(t.certain, m.held)
		t.possible = max(t.possible, m.held+m.wanted)
	}
}

func (m *semaphore) Call(c *model.Call) {
	if m.over() {
		return
	}
	m.now = c.Call
	if c.Op == model.Crash {
		m.crashed(c)
		return
	}
	p := m.owners[c.Holder()]
	if p == nil {
		p = &purse{}
		m.owners[c.Holder()] = p
	}
	if p.under != nil {
		if !p.under.Pending() {
			m.gives(overlapping)
			return
		}
		m.settle(p)
	}
	p.under = c
	if p.gone {
		m.gives("An owner went on, and what it has may end at any time, because of a crash or a release of unknown outcome. " +
			"A record of the end, or that answer, would settle it.")
		return
	}
	if c.Op == model.Release {
		if c.Of != 0 && (!p.has(c.Of) || p.vague || p.pending) {
			m.gives("A release named a hold that its owner is not known to have, which is not judged. Releases by owners would settle it.")
			return
		}
		p.freeing = p.free(c)
		p.least -= p.freeing
		m.held -= p.freeing
	}
	m.wanted += c.Amount()
	if c.Op == model.Acquire && c.Try {
		m.tries[c.ID] = &attempt{}
	}
	m.note()
}

// crashed notes that permits that the process has acquired, or is acquiring, may end from now on; not those that other
// processes have acquired for the same owner.
func (m *semaphore) crashed(c *model.Call) {
	for _, p := range m.owners { // unordered: each is looked at by itself
		under := p.under != nil && p.under.Client == c.Client
		if !under && !slices.Contains(p.clients, c.Client) {
			continue
		}
		lost := p.least
		if slices.ContainsFunc(p.clients, func(other string) bool { return other != c.Client }) {
			if p.vague || p.pending || p.under != nil && p.under.Op == model.Release {
				m.gives("A process crashed that shares an owner with another one, and it is not known which of the owner's permits it had acquired. " +
					"The answers of the owner's calls would settle it.")
				return
			}
			lost = p.acquiredBy(c.Client)
		}
		m.held -= lost
		m.wanted += p.most
		p.least -= lost
		p.gone = true
	}
}

// acquiredBy returns how many of the owner's permits a process has acquired.
func (p *purse) acquiredBy(client string) (n int64) {
	for _, x := range p.parts {
		if x.client == client {
			n += x.n
		}
	}
	return n
}

// settle treats the call under way as one of unknown outcome: permits that it may take or keep may be held for ever.
func (m *semaphore) settle(p *purse) {
	c := p.under
	p.under = nil
	if c.Op == model.Acquire {
		p.pending = true
		delete(m.tries, c.ID)
	} else {
		p.vague = true
		p.gone = p.gone || p.freeing < c.Amount() // it may give back permits that are acquired later
	}
	p.freeing = 0
}

func (m *semaphore) End() {}

func (m *semaphore) Return(c *model.Call) {
	if m.over() {
		return
	}
	m.now = c.Return
	p := m.owners[c.Holder()]
	if p == nil || p.under != c {
		m.gives(overlapping)
		return
	}
	if c.Outcome == model.Unknown {
		m.settle(p)
		return
	}
	p.under = nil
	if p.gone {
		m.gives("A call was answered after its client had crashed, and what it took or gave back may have ended at any time. A record of the end would settle it.")
		return
	}
	m.wanted -= c.Amount()
	switch {
	case c.Op == model.Release:
		m.released(p, c)
	case c.Outcome == model.OK:
		m.acquired(p, c)
	default:
		m.refused(c)
	}
	delete(m.tries, c.ID)
	if p.empty() {
		delete(m.owners, c.Holder())
	}
}

// acquired handles an acquire that succeeded.
func (m *semaphore) acquired(p *purse, c *model.Call) {
	i := sort.Search(len(p.parts), func(i int) bool { return p.parts[i].id > c.ID })
	p.parts = slices.Insert(p.parts, i, part{c.ID, c.Amount(), c.Client})
	if !slices.Contains(p.clients, c.Client) {
		p.clients = append(p.clients, c.Client)
	}
	p.least += c.Amount()
	p.most += c.Amount()
	m.held += c.Amount()
	if m.held > m.permits {
		m.violate(Exclusion, m.now, fmt.Sprintf("when the acquire of %s returned at event %d, %d permits were held and nothing had begun to give them back, but there are %d. %s",
			holder(c), c.Return, m.held, m.permits, shortest), m.last, c)
		return
	}
	m.last = c
	m.note()
}

// released handles the answer of a release.
func (m *semaphore) released(p *purse, c *model.Call) {
	n, freed := c.Amount(), p.freeing
	p.freeing = 0
	switch {
	case freed == n:
	case c.Outcome == model.Failed: // it may have freed permits that a call of unknown outcome has not yet freed
		p.gone = p.gone || p.vague
	case (p.most < n || c.Of != 0 && !p.vague) && !p.pending:
		m.violate(Release, m.now, fmt.Sprintf("%s gave back %d permits, but had %d.", holder(c), n, freed), c)
		return
	default:
		m.gives("A release succeeded that gave back more than its owner is known to have had. The answers of its calls of unknown outcome would settle it.")
		return
	}
	if p.most = max(0, p.most-n); c.Of != 0 {
		p.most = p.least
	}
	p.least = min(p.least, p.most)
}

// refused handles an acquire that failed.
func (m *semaphore) refused(c *model.Call) {
	t := m.tries[c.ID]
	if t == nil {
		return
	}
	need := m.permits - c.Amount() // more permits held than this explain it
	switch {
	case t.certain > need:
	case t.possible-c.Amount() <= need: // its own request does not count
		m.violate(Try, m.now, fmt.Sprintf("the try of %s for %d permits failed (%s), though no more than %d of %d can have been held meanwhile. %s",
			holder(c), c.Amount(), interval(c), max(0, t.possible-c.Amount()), m.permits, longest), c)
	default:
		m.doubts(crowded)
	}
}
