package objects

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
)

// fence is the greatest token that was given, if one was.
type fence struct {
	last  int64
	given bool
}

// grows reports whether a token may follow, and the fence after it.
func (f fence) grows(token int64) (fence, bool) {
	if f.given && token <= f.last {
		return f, false
	}
	return fence{token, true}, true
}

func (f fence) digest(d digest) digest { return d.int(f.last).bool(f.given) }

func (f fence) String() string {
	if !f.given {
		return "no token yet"
	}
	return fmt.Sprintf("last token %d", f.last)
}

// fenced is the state of a [model.KindFenced]: a mutex, and every token that an
// Acquire returned is greater than all that were before. One that returned
// without a token, or whose outcome is unknown, is not compared, whichever
// token it may have been meant to have.
//
// This is Jepsen's FencedMutex, whose invalid fence (a lock may give one after
// a retry) is an Acquire that is not Fenced here.
type fenced struct {
	hold
	fence
}

func (f fenced) Equal(other fenced) bool { return f == other }
func (f fenced) Hash() uint64            { return uint64(f.fence.digest(f.hold.digest())) }
func (f fenced) String() string          { return f.hold.String() + ", " + f.fence.String() }

func stepFenced(f fenced, a Action, out model.Outcome) (fenced, bool) {
	m, legal := stepMutex(mutex{f.hold}, a, out)
	f.hold = m.hold
	if c := a.Call; legal && c.Op == model.Acquire && a.Part == Whole && out == model.OK && c.Fenced {
		f.fence, legal = f.grows(c.Token)
	}
	return f, legal
}
