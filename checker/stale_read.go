package checker

import "github.com/lockpick-dev/lockpick/model"

// This file answers whether an operation went by what a follower had.

// unlessStale is the cause of what an operation did by an event, unless a follower had shown it something of the
// lock's record before that was not what the store had then.
func (j *Judge) unlessStale(cause string, op *model.Operation, until int64) string {
	if op != nil && j.shownOther(op, until) {
		return StaleRead
	}
	return cause
}

// shownOther reports whether by an event a follower had shown an operation another value than the one that the node
// had which served then, or none that it had, or one that it had not.
func (j *Judge) shownOther(op *model.Operation, until int64) bool {
	if j.o.Nodes > 1 {
		return false // no single node has the truth
	}
	serving := servingAt{Judge: j, key: j.lockKey()}
	var records model.Records
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Seq > until {
			return false
		}
		serving.see(o)
		records.See(o)
		if o.Kind != model.RecordShown || o.By.Op != op.ID || serving.node == "" {
			continue
		}
		now := ""
		if told := records.Told(serving.node, o.Key); told != nil {
			now = told.Value
		}
		if now != o.Value {
			return true
		}
	}
	return false
}
