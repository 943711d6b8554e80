package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// violated returns the verdict of a violated property. The operations and
// observations may come in any order and more than once; zeros stand for
// nothing.
func violated(sentence string, from, to model.Stamp, ops []int, seqs []int64) model.Verdict {
	return model.Verdict{
		Status:       model.Violated,
		Sentence:     sentence,
		Operations:   ascending(ops),
		Observations: ascending(seqs),
		From:         from,
		To:           to,
	}
}

func holds() model.Verdict { return model.Verdict{Status: model.Holds} }

func notApplicable(why string) model.Verdict {
	return model.Verdict{Status: model.NotApplicable, Sentence: why}
}

func undecided(why string) model.Verdict {
	return model.Verdict{Status: model.Undecided, Sentence: why}
}

// WithCause returns a verdict with the cause of its violation, which decides between a limit of leases and a fault of the
// lock ([model.Causes]). A verdict that is no violation is returned unchanged.
func WithCause(v model.Verdict, cause string) model.Verdict {
	if v.Status == model.Violated {
		v.Cause, v.Limit = cause, model.CauseOf(cause).Limit
	}
	return v
}

// worst keeps, of the violations of a property, the first that is a fault, or else
// the first.
type worst struct {
	verdict model.Verdict
	any     bool
}

// add takes a violation into account, and reports whether no other can be graver.
func (w *worst) add(v model.Verdict) (enough bool) {
	if !w.any || w.verdict.Limit && !v.Limit {
		w.verdict, w.any = v, true
	}
	return !w.verdict.Limit
}

// or returns the worst violation, or the verdict if there was none.
func (w *worst) or(v model.Verdict) model.Verdict {
	if w.any {
		return w.verdict
	}
	return v
}

// ascending sorts the numbers and removes duplicates and zeros.
func ascending[N int | int64](ns []N) []N {
	slices.Sort(ns)
	ns = slices.Compact(ns)
	if len(ns) > 0 && ns[0] == 0 {
		ns = ns[1:]
	}
	return ns
}
