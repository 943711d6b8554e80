package checker

import "github.com/lockpick-dev/lockpick/model"

// timelyLoss: violated when a lease that signals its loss, or renews itself, and has
// no Until, has ended as it was granted last, and its holder is not told within the
// bound, of the time in which its process ran. Counted is from the end as granted,
// not from when the store forgot the lock or another removed it: a client that looks
// at its clock, and at the answers to its renewals, knows of no other.
func (j *judge) timelyLoss() model.Verdict {
	key, ok := j.owned()
	switch {
	case !ok, j.several() && j.o.Ownership == nil:
		return j.notSingle()
	case !j.everStored():
		return j.noneStored()
	}
	looked := false
	for i := range j.claims {
		c := &j.claims[i]
		if !j.tells(c.op) {
			continue
		}
		looked = true
		end := j.end(c)
		if j.plainlyHeld(c.op, key, end) {
			continue
		}
		parts := j.parts(c.op, key, end)
		ended, ever := j.together(parts, asGranted)
		if !ever || ended >= end.At || endedBy(parts, unclear) != nil {
			continue
		}
		late := j.untoldFor(c, parts, ended)
		ended = max(ended, c.start.At)
		if late > j.lossBound()+j.clockError(c.op.Client, c.op.Call.At, end) {
			return j.untold(c, key, j.stampAt(ended), end)
		}
	}
	if !looked {
		return notApplicable("No lease signals its loss, or renews itself, without telling its end.")
	}
	return holds()
}

func (j *judge) untold(c *claim, key string, from, end model.Stamp) model.Verdict {
	x := c.op
	sentence := j.who(x) + " held on " + forTime(end.At-from.At) + " after its lease had ended, and nothing told it"
	if x.Lost.Happened() && x.Lost.Seq <= end.Seq {
		sentence = j.who(x) + " was told that its lease was lost " + forTime(end.At - from.At)[len("for "):] + " after it had ended"
	}
	why := j.whyLost(x, key, end.Seq)
	return with(violated(because(sentence, why), from, end, append(why.ops, x.ID, j.released[x.ID]), why.seqs), NotTold)
}
