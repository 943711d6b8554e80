package histories

import (
	"fmt"
	"math/rand/v2"

	"github.com/lockpick-dev/lockpick/model"
)

// Long returns a legal history of a mutex, a read-write lock or a semaphore with the given numbers of holds and clients,
// drawn from a seed: for measurements. Every client acquires, now and then by a try, and releases, one permit or two; all
// calls are answered.
func Long(spec model.Spec, holds, clients int, seed uint64) []model.Call {
	l := long{spec: spec, rand: rand.New(rand.NewPCG(seed, 1)), clients: make([]walker, clients)}
	for i := range l.clients {
		l.clients[i].name = fmt.Sprintf("c%d", i+1)
	}
	l.calls = make([]model.Call, 0, 3*holds)
	for l.holds < holds {
		l.step(&l.clients[l.rand.IntN(clients)])
	}
	for i := range l.clients { // who has not been served by now never asked
		if w := &l.clients[i]; w.at == asking || w.at == denied {
			l.answer(w, model.Failed)
			l.calls[w.call].Try = false
		} else if w.at == served || w.at == left {
			l.answer(w, model.OK)
		}
	}
	return l.calls
}

// long is a simulation in progress.
type long struct {
	spec    model.Spec
	rand    *rand.Rand
	clients []walker
	calls   []model.Call
	event   int64
	holds   int
	readers int
	used    int64 // permits, or 1 while somebody writes
}

// walker is a client: the state of its turn, its call under way, and its hold.
type walker struct {
	name string
	at   place
	call int
	hold model.Call
}

type place int

const (
	outside   place = iota
	asking          // has called acquire
	served          // has been granted
	denied          // its try has been refused
	inside          // its acquire has returned
	releasing       // has called release
	left            // has given back
)

func (l *long) next() int64 {
	l.event++
	return l.event
}

func (l *long) ask(w *walker, op model.OpKind) *model.Call {
	w.call = len(l.calls)
	l.calls = append(l.calls, model.Call{
		ID: len(l.calls) + 1, Client: w.name, Object: objectName, Op: op, Call: l.next(), Outcome: model.Unknown,
	})
	return &l.calls[w.call]
}

func (l *long) answer(w *walker, outcome model.Outcome) {
	c := &l.calls[w.call]
	c.Return, c.Outcome = l.next(), outcome
}

// step advances a client.
func (l *long) step(w *walker) {
	switch w.at {
	case outside:
		c := l.ask(w, l.acquires())
		c.Try = l.rand.IntN(8) == 0
		if l.spec.Kind == model.KindSemaphore {
			c.N = 1 + l.rand.Int64N(min(2, l.spec.Permits))
		}
		w.at = asking
	case asking:
		c := &l.calls[w.call]
		switch {
		case l.take(c, 1):
			w.at = served
		case c.Try:
			w.at = denied
		}
	case served:
		l.answer(w, model.OK)
		w.hold, w.at = l.calls[w.call], inside
	case denied:
		l.answer(w, model.Failed)
		w.at = outside
	case inside:
		l.ask(w, releases(w.hold.Op)).N = w.hold.N
		w.at = releasing
	case releasing:
		l.take(&w.hold, -1)
		w.at = left
	case left:
		l.answer(w, model.OK)
		l.holds++
		w.at = outside
	}
}

// acquires returns how the next one acquires: three in four readers read.
func (l *long) acquires() model.OpKind {
	switch {
	case l.spec.Kind != model.KindReadWrite:
		return model.Acquire
	case l.rand.IntN(4) == 0:
		return model.AcquireWrite
	}
	return model.AcquireRead
}

func releases(op model.OpKind) model.OpKind {
	switch op {
	case model.AcquireRead:
		return model.ReleaseRead
	case model.AcquireWrite:
		return model.ReleaseWrite
	}
	return model.Release
}

// take takes, or with the sign -1 gives back, what a call requests, if it is available.
func (l *long) take(c *model.Call, sign int64) bool {
	capacity := max(1, l.spec.Permits)
	switch {
	case c.Op == model.AcquireRead && l.used == 0:
		l.readers += int(sign)
	case c.Op == model.AcquireRead, sign > 0 && (l.readers > 0 || l.used+c.Amount() > capacity):
		return false
	default:
		l.used += sign * c.Amount()
	}
	return true
}
