package objects

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
)

// entries is the holder of a re-entrant mutex, with the number of entries.
type entries struct {
	// hold is the Acquire that entered last: taking the mutex again renews it.
	hold
	count int
}

// acquire applies an Acquire. It returns the next entries, whether the Acquire took the
// mutex, and whether the answer is legal.
func (e entries) acquire(c *model.Call, out model.Outcome, limit int) (next entries, taken, legal bool) {
	may := e.free() || e.owner == c.Holder() && (limit == 0 || e.count < limit)
	switch {
	case out == model.Failed:
		return e, false, !c.Try || !may
	case may:
		return entries{hold{c.ID, c.Holder()}, e.count + 1}, true, true
	}
	return e, false, out == model.Unknown
}

// release applies a Release: it ends one entry, or all if the answer was that there is
// none.
func (e entries) release(c *model.Call, out model.Outcome) (next entries, legal bool) {
	switch {
	case e.free() || e.owner != c.Holder():
		return e, out != model.OK
	case out == model.Failed || e.count == 1:
		return entries{}, true
	}
	e.count--
	return e, true
}

func (e entries) String() string {
	if e.free() {
		return "free"
	}
	return fmt.Sprintf("held by %s, %s (last #%d)", e.owner, times(e.count), e.id)
}

// times returns a number of times in words.
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// reentrant is the state of a [model.KindReentrant]: its owner may take it again, up
// to a limit, and releases it as often. What counts is the owner
// ([model.Call.Holder]); which Acquire a Release means (Of) does not matter.
//
//   - Acquire, ok: it was free, or the caller's and below the limit. A try that
//     failed: it was neither. Unknown: it entered if it could.
//   - Release, ok: the caller had it, and has it once less. Failed: the caller
//     has it no more, however often it had it. Unknown: once less, if it had it.
//   - Lapse: it is free, if the hold that lapses is the one that entered last:
//     the whole hold has one end, which every entry puts off, as Redisson's hash
//     has one expiry.
//
// This is Jepsen's ReentrantMutex (which allows two entries) on histories of
// calls that succeeded.
type reentrant struct{ entries }

func (r reentrant) Equal(other reentrant) bool { return r == other }
func (r reentrant) Hash() uint64               { return uint64(r.digest().int(int64(r.count))) }

func stepReentrant(limit int) func(reentrant, Action, model.Outcome) (reentrant, bool) {
	return func(r reentrant, a Action, out model.Outcome) (reentrant, bool) {
		legal := true
		switch {
		case a.Part == Lapse:
			if r.lapses(a) {
				r.entries = entries{}
			}
		case a.Call.Op == model.Release:
			r.entries, legal = r.release(a.Call, out)
		default:
			r.entries, _, legal = r.acquire(a.Call, out, limit)
		}
		return r, legal
	}
}
