package checker

import (
	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// truthful judges the operations of a kind that reported success: lies returns what is untrue, and why.
func (j *Judge) truthful(kind model.OpKind, none string, lies func(op, x *model.Operation, key string) (sentence, cause string)) model.Verdict {
	key, ok := j.LockRecord()
	switch {
	case !ok:
		return j.notSingle()
	case !j.EverStored():
		return j.noneStored()
	}
	looked := false
	var found worst
	for i := range j.h.Operations {
		op := &j.h.Operations[i]
		x := j.Acquisition(op)
		if op.Kind != kind || op.Result != model.OK || !op.Return.Happened() || x == nil || !holders.Acquired(x) {
			continue
		}
		looked = true
		if sentence, cause := lies(op, x, key); cause != "" {
			why := j.whyLost(x, key, op.Return.Seq)
			v := violated(because(sentence, why), op.Call, op.Return, append(why.ops, x.ID, op.ID), why.seqs)
			if found.add(WithCause(v, cause)) {
				break
			}
		}
	}
	if !looked {
		return notApplicable(none)
	}
	return found.or(holds())
}
