package histories

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/model"
)

// isAccess reports whether the kind is a resource, which is accessed without waiting.
func isAccess(kind model.Kind) bool {
	return kind == model.KindRegister || kind == model.KindCounter || kind == model.KindStock
}

// calledOps returns the operations that clients call.
func calledOps(kind model.Kind) []model.OpKind {
	return slices.DeleteFunc(kind.Ops(), func(op model.OpKind) bool { return op == model.Crash || op == model.Expire })
}

// Spec draws the parameters of a kind, small ones.
func Spec(t *rapid.T, kind model.Kind) model.Spec {
	s := model.Spec{Kind: kind}
	switch kind {
	case model.KindReentrant, model.KindReentrantFenced:
		s.Limit = pick(t, "limit", 3)
	case model.KindSemaphore:
		s.Permits = between(t, "permits", 1, 4)
	case model.KindPermitSemaphore:
		s.Permits = between(t, "permits", 1, 3)
	case model.KindLatch:
		s.Count = between(t, "count", 0, 3)
	case model.KindBarrier:
		s.Parties = 1 + pick(t, "parties", 3)
	case model.KindRegister, model.KindCounter:
		s.Initial = between(t, "initial", 0, 2)
	case model.KindStock:
		s.Stock = make([]int64, 1+pick(t, "segments", 2))
		for i := range s.Stock {
			s.Stock[i] = between(t, "stock", 0, 3)
		}
	}
	return s
}

// drawArguments draws the arguments of the call.
func drawArguments(t *rapid.T, spec model.Spec, c *model.Call) {
	if (c.Op.Acquires() || c.Op == model.Await) && spec.Kind != model.KindBarrier {
		c.Try = rarely(t, "try", 2)
	}
	switch {
	case spec.Kind == model.KindSemaphore, c.Op == model.CountDown, c.Op == model.Take, c.Op == model.Put:
		c.N = between(t, "n", 0, 2)
	case c.Op == model.Write:
		c.N = between(t, "n", 0, 2)
	case c.Op == model.Cas:
		c.Expected, c.N = between(t, "expected", 0, 2), between(t, "n", 0, 2)
	case c.Op == model.Add:
		c.N = between(t, "n", -1, 2)
	}
	if spec.Kind == model.KindStock {
		c.Segment = pick(t, "segment", len(spec.Stock))
	}
	if isAccess(spec.Kind) && rapid.Bool().Draw(t, "fenced") {
		c.Fenced, c.Token = true, between(t, "token", 0, 2)
	}
}

// blank clears the results of a call that has none.
func blank(c *model.Call) {
	c.Until, c.Valued, c.Value = 0, false, 0
	if c.Op.Acquires() {
		c.Permit, c.Fenced, c.Token = "", false, 0
	}
}
