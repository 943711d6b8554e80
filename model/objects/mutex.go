package objects

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
)

// hold is the holder of a mutex. The zero hold is none.
type hold struct {
	id    int // of the Acquire
	owner string
}

func (h hold) free() bool { return h.id == 0 }

// meant reports whether c, which ends or extends a hold, concerns this one.
func (h hold) meant(c *model.Call) bool {
	switch {
	case h.free():
		return false
	case c.Of != 0:
		return h.id == c.Of
	}
	return h.owner == c.Holder()
}

// lapses reports whether a Lapse may end this hold.
func (h hold) lapses(a Action) bool {
	switch {
	case a.Hold != nil:
		return h.id == a.Hold.ID
	case a.Call.Op.Acquires():
		return h.id == a.Call.ID
	}
	return h.meant(a.Call)
}

// acquire applies an Acquire. It returns the next hold, whether the Acquire took the
// mutex, and whether the answer is legal.
func (h hold) acquire(c *model.Call, out model.Outcome) (next hold, taken, legal bool) {
	switch {
	case out == model.Failed:
		return h, false, !c.Try || !h.free()
	case h.free():
		return hold{c.ID, c.Holder()}, true, true
	}
	return h, false, out == model.Unknown
}

// release applies a Release. It returns the next hold, and whether the answer is legal.
func (h hold) release(c *model.Call, out model.Outcome) (next hold, legal bool) {
	if h.meant(c) {
		return hold{}, true
	}
	return h, out != model.OK
}

func (h hold) digest() digest { return newDigest.int(int64(h.id)).string(h.owner) }

func (h hold) String() string {
	if h.free() {
		return "free"
	}
	return fmt.Sprintf("held by %s (#%d)", h.owner, h.id)
}

// mutex is the state of a [model.KindMutex]: one owner holds it, once.
//
//   - Acquire, ok: it was free. A try that failed: it was held, perhaps by the
//     caller. Another failure says nothing. Unknown: it took the mutex if that was
//     free.
//   - Release, ok: the hold that it names, or whose owner calls, existed, and ends.
//     Failed or unknown: the hold ends if it existed.
//   - Lapse: that hold ends.
//
// A Release is legal once only for a hold: that is how "owner-aware" is read in
// Jepsen's Hazelcast tests (OwnerAwareMutex), with which this agrees on histories of
// Acquires and Releases that succeeded. Knossos omits operations that failed; here
// failed tries are checked, and a failed Release ends the hold. In [MutexModel] a
// Release is always legal, and so is a failed try.
type mutex struct{ hold }

func (m mutex) Equal(other mutex) bool { return m == other }
func (m mutex) Hash() uint64           { return uint64(m.digest()) }

func stepMutex(m mutex, a Action, out model.Outcome) (mutex, bool) {
	legal := true
	switch {
	case a.Part == Lapse:
		if m.lapses(a) {
			m.hold = hold{}
		}
	case a.Call.Op == model.Release:
		m.hold, legal = m.release(a.Call, out)
	default:
		m.hold, _, legal = m.acquire(a.Call, out)
	}
	return m, legal
}
