package objects

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
)

// readWrite is the state of a [model.KindReadWrite]: free, read by some, or written
// by one, who may read as well. Owners enter each mode as often as they like and
// leave it as often; which Acquire a release means (Of) does not matter.
//
//   - AcquireRead, ok: nobody else had it for writing. So a writer may read.
//   - AcquireWrite, ok: nobody had it at all, or the caller had it for
//     writing. So a reader does not get to write while anybody reads, itself
//     included: that upgrade waits for ever, or fails if it is a try.
//   - A try that failed: it could not have succeeded. Unknown: it took effect
//     if it could.
//   - ReleaseRead and ReleaseWrite, ok: the caller had it in that mode, once
//     more than it has now. A writer who is still reading when it has left
//     writing for good is a reader from then on (downgrade). Failed: the caller
//     has it in that mode no more. Unknown: once less, if it had it.
//   - Lapse: the owner whose last entry is the Acquire that lapses leaves that
//     mode.
//
// So Redisson defines it (RReadWriteLock, by the mode in its hash). Jepsen's
// Hazelcast tests have none of this kind.
type readWrite struct {
	writer  entries
	readers grants // one for each owner, n entries
}

func (r readWrite) Equal(other readWrite) bool {
	return r.writer == other.writer && r.readers.Equal(other.readers)
}

func (r readWrite) Hash() uint64 {
	return uint64(r.readers.digest().int(int64(r.writer.id)).int(int64(r.writer.count)).string(r.writer.owner))
}

func (r readWrite) String() string {
	reads := ""
	if len(r.readers) > 0 {
		reads = "read by " + r.readers.String()
	}
	switch {
	case !r.writer.free() && reads != "":
		return fmt.Sprintf("written by %s, %s, %s", r.writer.owner, times(r.writer.count), reads)
	case !r.writer.free():
		return fmt.Sprintf("written by %s, %s", r.writer.owner, times(r.writer.count))
	case reads != "":
		return reads
	}
	return "free"
}

func stepReadWrite(r readWrite, a Action, out model.Outcome) (readWrite, bool) {
	c := a.Call
	switch {
	case a.Part == Lapse:
		if r.writer.lapses(a) {
			r.writer = entries{}
		}
		r.readers = r.readers.without(func(x grant) bool { return x.lapses(a) })
		return r, true
	case c.Op == model.ReleaseWrite:
		writer, legal := r.writer.release(c, out)
		r.writer = writer
		return r, legal
	case c.Op == model.ReleaseRead:
		return r.leave(c, out)
	case c.Op == model.AcquireRead:
		may := r.writer.free() || r.writer.owner == c.Holder()
		if may && out != model.Failed {
			r.readers = r.readers.enter(c)
		}
		return r, answered(c, out, may)
	}
	may := len(r.readers) == 0 && r.writer.free() || !r.writer.free() && r.writer.owner == c.Holder()
	if may && out != model.Failed {
		r.writer, _, _ = r.writer.acquire(c, out, 0)
	}
	return r, answered(c, out, may)
}

// answered reports whether the answer to an Acquire that could, or could not,
// take effect is legal.
func answered(c *model.Call, out model.Outcome, may bool) bool {
	switch out {
	case model.Failed:
		return !c.Try || !may
	case model.OK:
		return may
	}
	return true
}

// enter adds an entry of a reader.
func (g grants) enter(c *model.Call) grants {
	for i, x := range g {
		if x.owner == c.Holder() {
			x.id = c.ID
			x.n++
			return g.where(i, x)
		}
	}
	return g.with(grant{hold: hold{c.ID, c.Holder()}, n: 1})
}

// leave applies a ReleaseRead.
func (r readWrite) leave(c *model.Call, out model.Outcome) (readWrite, bool) {
	for i, x := range r.readers {
		if x.owner != c.Holder() {
			continue
		}
		if x.n--; out == model.Failed {
			x.n = 0
		}
		r.readers = r.readers.where(i, x)
		return r, true
	}
	return r, out != model.OK
}
