package export

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
)

// decision is how a test decides whether the property is violated: statements around some of its steps.
type decision struct {
	// at is the operation whose return decides, of is the one whose record matters; each may be nil.
	at, of *model.Operation
	// before precedes the call of at, noted follows the return of of, and held runs when at's answer is held.
	before, noted, held string
	// after follows the return of at, and last is at the end.
	after, last string
	// waits is set if a sound lock makes at wait, so that it does not return.
	waits bool
}

// decides returns the decision on the violated property. RECORD stands for the record at that time, and ERR for the error
// of at.
func decides(s *Script) (*decision, error) {
	v := s.verdict
	var ops []*model.Operation
	for _, id := range v.Operations {
		if op := s.Trace.History.Operation(id); op != nil {
			ops = append(ops, op)
		}
	}
	last := func(k model.OpKind) *model.Operation {
		for i := len(ops) - 1; i >= 0; i-- {
			if ops[i].Kind == k {
				return ops[i]
			}
		}
		return nil
	}
	d := &decision{}
	switch v.Property {
	case checker.TruthfulAcquire:
		d.at = last(model.Acquire)
	case checker.TruthfulRelease:
		d.at = last(model.Release)
	case checker.TruthfulExtend:
		d.at = last(model.Extend)
	case checker.NoOrphan:
		d.at = s.orphaned(ops)
		d.after = `time.Sleep(` + settles + `) // what still cleans up
if left := RECORD; ERR CONDITION nil && left != "" {
	t.Errorf("PROPERTY: VERB, but its record is left in the store: %q", left)
}
`
	case checker.MutualExclusion:
		return both(s, ops)
	case checker.OwnerOnlyRelease:
		return removed(s, last(model.Release), ops)
	case checker.NoLostUpdate:
		d.last = `if counter != writes {
	t.Errorf("PROPERTY: the counter is %d after %d writes under the lock: updates are lost", counter, writes)
}
`
		return d, nil
	default:
		return nil, noForm("no test decides %s", v.Property)
	}
	if d.at == nil {
		return nil, noForm("the verdict names no operation that a test could ask")
	}
	switch {
	case v.Property == checker.NoOrphan:
	case d.at.Kind == model.Acquire || v.Cause == model.ExtendedTooLate:
		d.held = "mine := RECORD\n"
		d.after = fmt.Sprintf(`if now := RECORD; ERR == nil && now != mine {
	t.Error("PROPERTY: %s reports success, but the lock is not this client's: " + «PARTS.Whose»(now, mine))
}
`, opName(d.at))
	default:
		d.of = s.Trace.History.Operation(d.at.Acquisition)
		d.noted = "mine := RECORD\n"
		d.before = "before := RECORD\n"
		d.after = fmt.Sprintf(`if ERR == nil && before != mine {
	t.Error("PROPERTY: %s reports success, but the lock was not this client's any more: " + «PARTS.Whose»(before, mine))
}
`, opName(d.at))
	}
	return d, nil
}

const settles = "time.Second"

// orphaned returns the operation after which a record must not be there.
func (s *Script) orphaned(ops []*model.Operation) *model.Operation {
	for _, op := range ops {
		if op.Kind == model.Acquire && op.Result != model.OK && op.Return.Happened() && s.granted(op) != op.Call.Seq {
			return op
		}
	}
	for _, op := range ops {
		if op.Kind == model.Release && op.Return.Happened() {
			return op
		}
	}
	return nil
}

// both returns the decision that two clients have the lock.
func both(s *Script, ops []*model.Operation) (*decision, error) {
	var held []*model.Operation
	for _, op := range ops {
		if op.Kind == model.Acquire && op.Result == model.OK {
			held = append(held, op)
		}
	}
	if len(held) < 2 {
		return nil, noForm("the verdict names fewer than two who have the lock")
	}
	last := held[len(held)-1]
	for _, op := range held {
		if op.Return.Seq > last.Return.Seq {
			last = op
		}
	}
	first := held[0]
	if first == last {
		first = held[1]
	}
	return &decision{at: last, waits: true, after: fmt.Sprintf(`if ERR == nil {
	t.Error(%s)
}
`, s.literal(fmt.Sprintf("%s: %s and %s have the lock at the same time", s.verdict.Property, first.Client, last.Client)))}, nil
}

// removed returns the decision that a release has removed another's record.
func removed(s *Script, release *model.Operation, ops []*model.Operation) (*decision, error) {
	if release == nil {
		return nil, noForm("the verdict names no release")
	}
	var victim *model.Operation
	for i := range s.Trace.History.Operations {
		op := &s.Trace.History.Operations[i]
		if op.Kind == model.Acquire && op.Client != release.Client && op.Result == model.OK && op.Return.Seq < s.until &&
			(release.Return.Seq == 0 || op.Call.Seq < release.Return.Seq) {
			victim = op
		}
	}
	if victim == nil {
		return nil, noForm("nobody has the lock when it is removed")
	}
	return &decision{at: release, of: victim, noted: "theirs := RECORD\n", after: fmt.Sprintf(`if now := RECORD; now != theirs {
	t.Error(%s)
}
`, s.literal(fmt.Sprintf("%s: the release of %s removes the lock of %s", s.verdict.Property, release.Client, victim.Client)))}, nil
}

func opName(op *model.Operation) string {
	switch op.Kind {
	case model.Acquire:
		return "Acquire"
	case model.Release:
		return "Release"
	case model.Extend:
		return "Extend"
	}
	return string(op.Kind)
}
