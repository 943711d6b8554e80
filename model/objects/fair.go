package objects

import (
	"slices"
	"strconv"

	"github.com/lockpick-dev/lockpick/model"
)

// fair is the state of a [model.KindFair]: a mutex, and the queue of those who wait
// for it.
//
// An Acquire takes effect at two instants: it takes its place in the queue
// (Enter), and it is granted (Leave), if the mutex is free and it is the first.
// One that gives up withdraws. When a client has queued cannot be seen from
// outside: it might have done so at the last moment, and then no order of
// grants is unfair. So without Call.Queued this is a plain mutex (tries apart);
// with it an Acquire that had queued before another was called is
// granted before it.
//
//   - A try takes no place: ok, it was free and nobody queued; failed, it was
//     held, or somebody queued.
//   - An Acquire of unknown outcome may queue, and then be granted or withdraw.
//   - Release and Lapse are those of a mutex.
//
// It is not re-entrant, unlike Redisson's, and nobody loses its place for being
// slow to answer, as there. Jepsen's Hazelcast tests have none of this kind.
type fair struct {
	hold
	queue []int // IDs of the Acquires that wait; never changed, only replaced
}

func (f fair) Equal(other fair) bool {
	return f.hold == other.hold && slices.Equal(f.queue, other.queue)
}

func (f fair) Hash() uint64 {
	d := f.digest()
	for _, id := range f.queue {
		d = d.int(int64(id))
	}
	return uint64(d)
}

func (f fair) String() string {
	s := f.hold.String()
	for i, id := range f.queue {
		if i == 0 {
			s += "; in the queue"
		}
		s += " #" + strconv.Itoa(id)
	}
	return s
}

func stepFair(f fair, a Action, out model.Outcome) (fair, bool) {
	c := a.Call
	place := slices.Index(f.queue, c.ID)
	switch {
	case a.Part == Enter:
		f.queue = append(slices.Clone(f.queue), c.ID)
		return f, true
	case a.Part == Leave && (place != 0 || !f.free()):
		return f, out == model.Unknown
	case a.Part == Leave:
		f.queue, f.hold = f.queue[1:], hold{c.ID, c.Holder()}
		return f, true
	case a.Part == Withdraw && place < 0:
		return f, out == model.Unknown
	case a.Part == Withdraw:
		f.queue = slices.Delete(slices.Clone(f.queue), place, place+1)
		return f, true
	case c.Op == model.Acquire && len(f.queue) > 0: // a try, past those who wait
		return f, out != model.OK
	}
	m, legal := stepMutex(mutex{f.hold}, a, out)
	f.hold = m.hold
	return f, legal
}
