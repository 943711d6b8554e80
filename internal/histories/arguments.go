package histories

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/model"
)

func isAcquire(op model.OpKind) bool {
	return op == model.Acquire || op == model.AcquireRead || op == model.AcquireWrite
}

// isAccess reports whether the kind is a resource, which is accessed and never
// waits.
func isAccess(kind model.Kind) bool {
	return kind == model.KindRegister || kind == model.KindCounter || kind == model.KindStock
}

// calledOps are the operations that clients call.
func calledOps(kind model.Kind) []model.OpKind {
	return slices.DeleteFunc(kind.Ops(), func(op model.OpKind) bool { return op == model.Crash || op == model.Expire })
}

// Spec draws the parameters of a kind, small ones.
func Spec(t *rapid.T, kind model.Kind) model.Spec {
	s := model.Spec{Kind: kind}
	switch kind {
	case model.KindReentrant, model.KindReentrantFenced:
		s.Limit = rapid.IntRange(0, 2).Draw(t, "limit")
	case model.KindSemaphore:
		s.Permits = rapid.Int64Range(1, 4).Draw(t, "permits")
	case model.KindPermitSemaphore:
		s.Permits = rapid.Int64Range(1, 3).Draw(t, "permits")
	case model.KindLatch:
		s.Count = rapid.Int64Range(0, 3).Draw(t, "count")
	case model.KindBarrier:
		s.Parties = rapid.IntRange(1, 3).Draw(t, "parties")
	case model.KindRegister, model.KindCounter:
		s.Initial = rapid.Int64Range(0, 2).Draw(t, "initial")
	case model.KindStock:
		s.Stock = rapid.SliceOfN(rapid.Int64Range(0, 3), 1, 2).Draw(t, "stock")
	}
	return s
}

// drawArguments draws what the call asks for.
func drawArguments(t *rapid.T, spec model.Spec, c *model.Call) {
	if (isAcquire(c.Op) || c.Op == model.Await) && spec.Kind != model.KindBarrier {
		c.Try = rapid.IntRange(0, 2).Draw(t, "try") == 2
	}
	switch {
	case spec.Kind == model.KindSemaphore, c.Op == model.CountDown, c.Op == model.Take, c.Op == model.Put:
		c.N = rapid.Int64Range(0, 2).Draw(t, "n")
	case c.Op == model.Write:
		c.N = rapid.Int64Range(0, 2).Draw(t, "n")
	case c.Op == model.Add:
		c.N = rapid.Int64Range(-1, 2).Draw(t, "n")
	}
	if spec.Kind == model.KindStock {
		c.Segment = rapid.IntRange(0, len(spec.Stock)-1).Draw(t, "segment")
	}
	if isAccess(spec.Kind) && rapid.Bool().Draw(t, "fenced") {
		c.Fenced, c.Token = true, rapid.Int64Range(0, 2).Draw(t, "token")
	}
}

// blank takes back the results of a call that has none.
func blank(c *model.Call) {
	c.Until, c.Valued, c.Value = 0, false, 0
	if isAcquire(c.Op) {
		c.Permit, c.Fenced, c.Token = "", false, 0
	}
}
