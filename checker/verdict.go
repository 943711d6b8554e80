package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// The ids of the causes of violations ([model.Verdict].Cause), which [model.Causes]
// describes. Limits, which no lease could have prevented, come first.
const (
	StoreForgot      = "store-forgot"
	TwoMasters       = "two-masters"
	Migration        = "migration"
	StoreClockJumped = "store-clock-jumped"
	ClientClockOff   = "client-clock-off"
	HolderStopped    = "holder-stopped"
	HolderLate       = "holder-late"
	HolderCutOff     = "holder-cut-off"

	NeverGranted     = "never-granted"
	AcquiredTooLate  = "acquired-too-late"
	ExtendedTooLate  = "extended-too-late"
	ClaimedLonger    = "claimed-longer"
	HeldTooLong      = "held-too-long"
	UsedUp           = "used-up"
	NotTold          = "not-told"
	RemovedByAnother = "removed-by-another"
	StaleRead        = "stale-read"
	RemovedByItself  = "removed-by-itself"
	WrongShard       = "wrong-shard"
	GrantedToBoth    = "granted-to-both"
	TokenApart       = "token-apart"
	Untrue           = "untrue"
	LeftBehind       = "left-behind"
	NotServed        = "not-served"
	NotWoken         = "not-woken"
	OutOfTurn        = "out-of-turn"
	Spins            = "spins"
	WaitsInVain      = "waits-in-vain"
	AsksInVain       = "asks-in-vain"
	WaitsForHolder   = "waits-for-holder"
	FailsNeedlessly  = "fails-needlessly"
	KeepsTooMuch     = "keeps-too-much"
	IgnoredContext   = "ignored-context"
	NotEstablished   = "not-established"
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

// with returns the verdict with its cause, which says whether it is a limit.
func with(v model.Verdict, cause string) model.Verdict {
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

// add takes a violation into account, and reports whether no other can be worse.
func (w *worst) add(v model.Verdict) (enough bool) {
	if !w.any || w.verdict.Limit && !v.Limit {
		w.verdict, w.any = v, true
	}
	return !w.verdict.Limit
}

// or is the worst violation, or the verdict if there was none.
func (w *worst) or(v model.Verdict) model.Verdict {
	if w.any {
		return w.verdict
	}
	return v
}

// graver returns the cause that decides between two: a certain fault, or else a
// limit, or else not-established. If both are of one class it is the first; the
// empty cause is none.
func graver(a, b string) string {
	rank := func(cause string) int {
		switch {
		case cause == "":
			return 0
		case cause == NotEstablished:
			return 1
		case model.CauseOf(cause).Limit:
			return 2
		}
		return 3
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// ascending sorts the numbers, and drops what is double or zero.
func ascending[N int | int64](ns []N) []N {
	slices.Sort(ns)
	ns = slices.Compact(ns)
	if len(ns) > 0 && ns[0] == 0 {
		ns = ns[1:]
	}
	return ns
}
