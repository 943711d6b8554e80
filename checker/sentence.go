package checker

import (
	"cmp"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// who names the client of an operation, and its thread if the client has
// several.
func (j *Judge) who(op *model.Operation) string {
	if j.SeveralThreads(op.Client) {
		return op.Client + " thread " + strconv.Itoa(op.Thread)
	}
	return op.Client
}

// whoElse names the client of an operation in a sentence about another's: "it"
// if it is the same.
func (j *Judge) whoElse(op, subject *model.Operation) string {
	if holders.SameThread(op, subject) {
		return "it"
	}
	return j.who(op)
}

// deed names an operation by its client and kind: "c1's release".
func (j *Judge) deed(op *model.Operation) string {
	return j.who(op) + "'s " + string(op.Kind)
}

// author names the cause of something, as finely as it is known; "" if there is none.
func (j *Judge) author(o model.Origin) string {
	if op := j.h.Operation(o.Op); op != nil {
		return j.deed(op)
	}
	return o.Client
}

// forTime returns a duration as "for ...", rounded for a reader.
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

// record returns the store's noun for a record.
func (j *Judge) record() string { return j.o.Terms.Record }

// expiring returns the noun of what expired with a record: the record, or the session that it lived with.
func (j *Judge) expiring(o *model.Observation) string {
	if o.Session == "" {
		return j.record()
	}
	return cmp.Or(j.o.Terms.Session, "session")
}

// notSingle returns the verdict if the holder cannot be determined.
func (j *Judge) notSingle() model.Verdict {
	return notApplicable("Not known to be the value of one " + j.record() + ", so nothing tells who truly has the lock.")
}

// noneStored returns the verdict if no acquisition was seen to get the lock.
func (j *Judge) noneStored() model.Verdict {
	return notApplicable("No Acquire created a " + j.record() + " in the store.")
}

const noneAcquired = "No Acquire succeeded."
