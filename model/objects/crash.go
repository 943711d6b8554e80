package objects

import "github.com/lockpick-dev/lockpick/model"

// releaseOf returns the operation that ends the holds of op.
func releaseOf(op model.OpKind) model.OpKind {
	switch op {
	case model.AcquireRead:
		return model.ReleaseRead
	case model.AcquireWrite:
		return model.ReleaseWrite
	}
	return model.Release
}

// crash adds the lapses that a crash makes possible: of the process's holds, and of
// those that it was about to get, since a request under way may still be executed. (A
// hold that was given up before could lapse without harm; it is omitted, since each
// lapse doubles the search.)
func (b *actionBuilder) crash(crash *model.Call) {
	for i := range b.calls {
		x := &b.calls[i]
		if !x.Op.Acquires() || x.Client != crash.Client || x.Outcome == model.Failed || x.Call > crash.Call ||
			crash.Object != "" && crash.Object != x.Object || b.over(x, crash.Call) {
			continue
		}
		b.lapse(Action{Call: crash, Part: Lapse, Hold: x}, crash.Call)
	}
}

// over reports whether the hold that x began is known to have ended before the
// event.
func (b *actionBuilder) over(x *model.Call, event int64) bool {
	if x.Pending() || x.Return >= event {
		return false
	}
	enters := b.kind == model.KindReentrant || b.kind == model.KindReentrantFenced || b.kind == model.KindReadWrite
	counts := enters || b.kind == model.KindSemaphore
	balance := int64(0)
	for i := range b.calls {
		r := &b.calls[i]
		if r.Object != x.Object {
			continue
		}
		begins := counts && r.Op == x.Op && r.Holder() == x.Holder() && r.Outcome != model.Failed && r.Call < event
		ends := r.Op == releaseOf(x.Op) && r.Return < event && concerns(r, x)
		if enters { // the owner of a release matters, not the Acquire that it means
			ends = r.Op == releaseOf(x.Op) && r.Return < event && r.Holder() == x.Holder()
		}
		switch {
		case begins && r.Pending():
			return false
		case begins:
			balance += r.Amount()
		case ends && !r.Pending() && counts && r.Outcome == model.OK:
			balance -= r.Amount()
		case ends && !r.Pending() && !counts && r.Call > x.Return:
			return true
		}
	}
	return counts && balance <= 0
}

// concerns reports whether r, which ends a hold, ends that of x.
func concerns(r, x *model.Call) bool {
	switch {
	case r.Of != 0:
		return r.Of == x.ID
	case r.Permit != "":
		return r.Permit == x.Permit
	}
	return r.Holder() == x.Holder()
}
