package checker

import (
	"slices"
	"strconv"
	"time"

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

// ascending sorts the numbers, and drops what is double or zero.
func ascending[N int | int64](ns []N) []N {
	slices.Sort(ns)
	ns = slices.Compact(ns)
	if len(ns) > 0 && ns[0] == 0 {
		ns = ns[1:]
	}
	return ns
}

// who names the client of an operation, and its thread if the client has
// several.
func (j *judge) who(op *model.Operation) string {
	for i := range j.h.Operations {
		other := &j.h.Operations[i]
		if other.Client == op.Client && other.Thread != op.Thread {
			return op.Client + " thread " + strconv.Itoa(op.Thread)
		}
	}
	return op.Client
}

// whoElse names the client of an operation in a sentence about another's: "it"
// if it is the same.
func (j *judge) whoElse(op, subject *model.Operation) string {
	if sameThread(op, subject) {
		return "it"
	}
	return j.who(op)
}

// deed names an operation as something that somebody did: "c1's release".
func (j *judge) deed(op *model.Operation) string {
	return j.who(op) + "'s " + string(op.Kind)
}

// author names who caused something, as finely as it is known; empty if
// nobody did.
func (j *judge) author(o model.Origin) string {
	if op := j.h.Operation(o.Op); op != nil {
		return j.deed(op)
	}
	return o.Client
}

// because joins a sentence to its cause.
func because(sentence string, c cause) string {
	if c.text == "" {
		return sentence + "."
	}
	return sentence + ": " + c.text + "."
}

// forTime says how long something lasted, to a precision that a reader wants.
func forTime(d time.Duration) string {
	switch {
	case d <= 0:
		return "for an instant"
	case d >= 10*time.Millisecond:
		d = d.Round(time.Millisecond)
	case d >= 10*time.Microsecond:
		d = d.Round(time.Microsecond)
	}
	return "for " + d.String()
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
