package main

import (
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
)

// guardedWrites is a property of our own. It asks who had the lock in the store, why it ended, and so whether a
// violation is a limit of leases or a fault of the lock.
var guardedWrites = checker.Property{
	ID: "guarded-writes", Letter: "J", Legend: "a write without the lock",
	About: "the resource accepts a write only while the store has the lock for its client",
	Description: model.Description{
		Asks:   "The resource accepts a write only while {store} has the lock for the client.",
		Window: "written without the lock",
		Breaks: model.AtEnd,
	},
	MayBeLimit: true,
	Verdict: func(j *checker.Judge) model.Verdict {
		worst := model.Verdict{Status: model.Holds}
		for _, o := range j.History().Observations {
			x := j.Acquisition(j.History().Operation(o.By.Op))
			if o.Kind != model.ResourceWritten || x == nil {
				continue
			}
			held, known := j.Holds(x, o.Seq, o.Seq)
			if !known {
				return model.Verdict{Status: model.NotApplicable, Sentence: "The history does not show who has the lock."}
			}
			c := j.ClaimAt(x, o.Stamp)
			if held || c == nil { // a write after the client's claim is overrun's
				continue
			}
			v := checker.WithCause(model.Verdict{
				Status: model.Violated, Sentence: j.Who(x) + " wrote while the store did not have the lock for it.",
				Operations: []int{x.ID, o.By.Op}, Observations: []int64{o.Seq}, From: c.Start, To: o.Stamp,
			}, j.CauseNotHeld(c, o.Stamp))
			if worst.Status == model.Holds || worst.Limit && !v.Limit {
				worst = v
			}
		}
		return worst
	},
}
