package checker

import (
	"cmp"
	"slices"

	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// Fencing is violated when the lock is granted with a token that is not greater
// than that of an earlier grant. (On tokens, and why a lease is unsafe without
// them: Martin Kleppmann, "How to do distributed locking", 2016.) Grants are in the
// order in which the authority granted the lock's key, or its shares if no key
// stands for the lock. If an Acquire made several tries, the last one counts.
// Grants that were not observed, and grants by independent nodes, are compared only
// if one Acquire returned before the other was called. Not applicable without
// tokens.
const Fencing = "fencing"

var fencing = Property{
	ID: Fencing, Letter: "T", Legend: "a token repeats, or is out of order",
	About: "fencing tokens grow in the order in which the lock was granted",
	Description: model.Description{
		Asks:   "Tokens grow strictly in the order in which the lock was granted.",
		Window: "tokens do not grow",
		Breaks: model.AtEnd,
	},
	Doc: "Tokens grow in the order in which the lock was granted, so that the resource can refuse late accesses. If the counter lives " +
		"beside the lock, the store forgets both together.",
	MayBeLimit: true,
	Verdict:    func(j *Judge) model.Verdict { return fencingJudge{j}.verdict() },
}

// granted is a successful Acquire with a token, and the event by which the store granted it; zero if that was not
// observed.
type granted struct {
	op *model.Operation
	at model.Stamp
}

// fencingJudge judges a history by fencing.
type fencingJudge struct{ base *Judge }

// verdict compares each token with the greatest before it.
func (j fencingJudge) verdict() model.Verdict {
	ordered, others := j.fencedGrants()
	if len(ordered)+len(others) == 0 {
		return notApplicable("No lease carried a token.")
	}
	var found worst
	var top granted // has the greatest token so far
	for _, g := range ordered {
		if top.op != nil && g.op.Token <= top.op.Token {
			if found.add(j.notGreater(top, g)) {
				break
			}
			continue
		}
		top = g
	}
	for i, g := range others {
		for _, list := range [][]granted{ordered, others[:i]} {
			for _, before := range list {
				if v, bad := j.compare(before, g); bad && found.add(v) {
					return v
				}
			}
		}
	}
	return found.or(holds())
}

// fencedGrants returns the successful Acquires with tokens: those whose grant was observed, in the order of the grants,
// and the others in the order of their returns.
func (j fencingJudge) fencedGrants() (ordered, others []granted) {
	for i := range j.base.Claims() {
		if op := j.base.Claims()[i].Acquire; op.Fenced && j.base.Claims()[i].Start == op.Return {
			others = append(others, granted{op: op})
		}
	}
	if len(others) == 0 {
		return nil, nil
	}
	at := j.grantedAt()
	if at == nil {
		return nil, others
	}
	all := others
	ordered, others = make([]granted, 0, len(all)), nil
	for _, g := range all {
		if g.at = at[g.op.ID]; g.at.Happened() {
			ordered = append(ordered, g)
		} else {
			others = append(others, g)
		}
	}
	slices.SortStableFunc(ordered, func(a, b granted) int { return cmp.Compare(a.at.Seq, b.at.Seq) })
	return ordered, others
}

// grantedAt returns, by the ID of an Acquire, where the store granted it the lock; nil unless one authority and its
// successors made all grants.
func (j fencingJudge) grantedAt() []model.Stamp {
	key := j.base.LockKey()
	at := make([]model.Stamp, len(j.base.h.Operations)+1)
	switch {
	case key == "" && (j.base.o.Ownership == nil || j.base.o.Nodes > 1 || j.base.Several()), key != "" && !j.oneAuthority(key):
		return nil
	case j.base.o.Ownership != nil:
		for _, t := range j.base.Tenures() {
			if op := j.base.h.Operation(t.Acquisition); op != nil && !t.Resumed && t.From.Seq < op.Return.Seq {
				at[op.ID] = t.From
			}
		}
		return at
	}
	for i := range j.base.h.Observations {
		o := &j.base.h.Observations[i]
		if op := j.base.h.Operation(o.Owner.Op); holders.Grants(o, key) && op != nil && o.Seq < op.Return.Seq {
			at[op.ID] = o.Stamp
		}
	}
	return at
}

// oneAuthority reports whether one authority and its successors had the lock's key: every node that granted it, but one,
// had been promoted. Of independent nodes no single one makes a grant.
func (j fencingJudge) oneAuthority(key string) bool {
	var room [8]string
	promoted, first := room[:0], ""
	for i := range j.base.h.Observations {
		o := &j.base.h.Observations[i]
		switch {
		case o.Kind == model.Promoted:
			promoted = append(promoted, o.Place())
		case !holders.Grants(o, key) || o.Place() == first || slices.Contains(promoted, o.Place()):
		case first != "":
			return false
		default:
			first = o.Place()
		}
	}
	return true
}

// compare judges two grants by the order of their Acquires, if these do not overlap.
func (j fencingJudge) compare(a, b granted) (model.Verdict, bool) {
	if b.op.Return.Seq < a.op.Call.Seq {
		a, b = b, a
	}
	if a.op.Return.Seq < b.op.Call.Seq && b.op.Token <= a.op.Token {
		return j.notGreater(a, b), true
	}
	return model.Verdict{}, false
}

// notGreater returns the verdict on two grants of which the later one has no greater token.
func (j fencingJudge) notGreater(a, b granted) model.Verdict {
	from, to := a.op.Return, b.op.Return
	if a.at.Happened() && b.at.Happened() {
		from, to = a.at, b.at
		if draw := j.base.Drawn(b.op, ""); draw != nil && draw.At > to.At {
			to = draw.Stamp // in a later step than the grant
		}
	}
	sentence := j.base.who(b.op) + " was granted token " + number(b.op.Token) +
		" after " + j.base.whoElse(a.op, b.op) + " had been granted token " + number(a.op.Token)
	why := j.base.whyToken(a.op, b.op)
	return WithCause(violated(because(sentence, why), from, to,
		append(why.ops, a.op.ID, b.op.ID), append(why.seqs, a.at.Seq, b.at.Seq)), j.base.CauseOfToken(a.op, b.op))
}
