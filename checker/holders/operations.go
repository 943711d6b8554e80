package holders

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// Acquired reports whether the operation is an Acquire that returned with the
// lock.
func Acquired(op *model.Operation) bool {
	return op.Kind == model.Acquire && op.Result == model.OK && op.Return.Happened()
}

// Acquisition returns the Acquire that an operation belongs to: itself for an Acquire, or nil if unknown.
func (hs *Holders) Acquisition(op *model.Operation) *model.Operation {
	if op == nil || op.Kind == model.Acquire {
		return op
	}
	return hs.h.Operation(op.Acquisition)
}

// AcquisitionOf returns the ID of the acquisition that an origin belongs to, or 0.
func (hs *Holders) AcquisitionOf(o model.Origin) int {
	if x := hs.Acquisition(hs.h.Operation(o.Op)); x != nil {
		return x.ID
	}
	return 0
}

// ClientOf returns the name of the process of an origin, or "".
func (hs *Holders) ClientOf(o model.Origin) string {
	if op := hs.h.Operation(o.Op); op != nil {
		return op.Client
	}
	return o.Client
}

// StampOf returns the place of an event of the history.
func (hs *Holders) StampOf(seq int64) model.Stamp {
	at := model.Stamp{Seq: seq}
	see := func(s model.Stamp) {
		if s.Seq <= seq {
			at.At = max(at.At, s.At)
		}
	}
	for i := range hs.h.Observations {
		see(hs.h.Observations[i].Stamp)
	}
	for i := range hs.h.Operations {
		see(hs.h.Operations[i].Call)
		see(hs.h.Operations[i].Return)
	}
	return at
}

// Earlier returns the earlier of two stamps. At equal times the event number decides.
func Earlier(a, b model.Stamp) model.Stamp {
	if b.At < a.At || b.At == a.At && b.Seq < a.Seq {
		return b
	}
	return a
}

// SameThread reports whether two operations are of the same thread of a client.
func SameThread(a, b *model.Operation) bool {
	return a.Client == b.Client && a.Thread == b.Thread
}

// WritesLock reports whether operations of the kind write the lock's value: Acquire, and an Extend that writes it anew.
func WritesLock(kind model.OpKind) bool {
	return kind == model.Acquire || kind == model.Extend
}

// AskedAt returns when the acquisition last asked for a lease before the event.
func (hs *Holders) AskedAt(x *model.Operation, seq int64) time.Duration {
	at := x.Call.At
	for _, op := range hs.extendsOf(x.ID) {
		if op.ID > x.ID && op.Result == model.OK && op.Call.Seq < seq {
			at = op.Call.At
		}
	}
	return at
}

// Entered returns the last Acquire of op's thread, other than op's own, that had succeeded before the call of op and had
// not been released by then; nil if there is none.
func (hs *Holders) Entered(op *model.Operation) *model.Operation {
	for id := op.ID - 1; id > 0; id-- {
		y := hs.h.Operation(id)
		if y == nil || y.Kind != model.Acquire || y.ID == op.Acquisition || !SameThread(op, y) || !Acquired(y) || y.Return.Seq > op.Call.Seq {
			continue
		}
		if r := hs.h.Operation(hs.released[y.ID]); r == nil || !r.Return.Happened() || r.Return.Seq > op.Call.Seq {
			return y
		}
	}
	return nil
}

// AsksNobody reports whether an operation returned in the instant of its call: no request can have been answered in that
// time.
func AsksNobody(op *model.Operation) bool {
	return op.Return.Happened() && op.Return.At == op.Call.At
}

// IsClient reports whether the name is that of a process with operations.
func (hs *Holders) IsClient(name string) bool {
	_, is := hs.threads()[name]
	return is
}
