package cell

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// judge judges the program's rules, and then the locks that it watches.
func (s programRunner) judge(c Cell, h *model.History) []model.Verdict {
	o := c.Judging()
	var rules []model.Verdict
	if ids := c.Judged(); len(ids) > 0 {
		rules = checker.Check(h, o, ids...)
	}
	locks := s.judgeLocks(c, h)
	for i := range rules {
		if v := &rules[i]; v.Status == model.Violated {
			rests(v, locks)
		}
	}
	return append(rules, locks...)
}

// judgeLocks returns the verdicts on the watched locks: for each property the worst.
func (s programRunner) judgeLocks(c Cell, h *model.History) (list []model.Verdict) {
	names := watched(h)
	for _, name := range names {
		o := c.at(storeOf(c, h, name)).Judging()
		r := s.Readings[name]
		o.Ownership, o.Queue, o.Spec = r.Ownership, r.Queue, model.Spec{Kind: model.KindMutex}
		o.Added, o.ProgressBound, o.WakeupBound = nil, 0, 0 // a program may keep its locks for as long as it likes
		for _, v := range checker.Check(of(h, name), o) {
			if len(names) > 1 && v.Sentence != "" {
				v.Sentence = fmt.Sprintf("The lock %s: %s", name, v.Sentence)
			}
			i := slices.IndexFunc(list, func(old model.Verdict) bool { return old.Property == v.Property })
			switch {
			case v.Status == model.NotApplicable:
			case i < 0:
				list = append(list, v)
			case severity(&v) > severity(&list[i]):
				list[i] = v
			}
		}
	}
	return list
}

// storeOf returns the store that has the records of a watched lock, or the cell's whole store
// if no record is seen.
func storeOf(c Cell, h *model.History, lock string) stage.Store {
	for i := range h.Observations {
		o := &h.Observations[i]
		if op := h.Operation(o.Owner.Op); op != nil && op.Lock == lock && o.Authority != "" && o.Kind.OfRecord() {
			return stage.PartOf(c.Lock.Store, c.Params, o.Node)
		}
	}
	return c.Lock.Store
}

// at returns the cell with s as its only store.
func (c Cell) at(s stage.Store) Cell {
	if c.Lock.Store = s; len(s.Lanes(c.Params)) < 2 {
		c.Params.Servers = 0
	}
	return c
}

// watched returns the names of the watched locks, in the order in which they were first taken.
func watched(h *model.History) (names []string) {
	for i := range h.Operations {
		if name := h.Operations[i].Lock; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// of returns the history without the operations on other locks.
func of(h *model.History, lock string) *model.History {
	one := *h
	one.LockName = lock
	one.Operations = slices.Clone(h.Operations)
	for i := range one.Operations {
		if op := &one.Operations[i]; op.Lock != lock {
			*op = model.Operation{ID: op.ID, Client: op.Client, Thread: op.Thread, Call: op.Call, Return: op.Return, Result: op.Result}
		}
	}
	return &one
}

// severity orders verdicts on one property: a fault is worse than a limit.
func severity(v *model.Verdict) int {
	switch {
	case v.Status == model.Violated && !v.Limit:
		return 3
	case v.Status == model.Violated:
		return 2
	case v.Status == model.Undecided:
		return 1
	}
	return 0
}

// rests adds to the verdict on a broken rule how a watched lock was lost, if two processes held
// it before the rule was broken.
func rests(v *model.Verdict, locks []model.Verdict) {
	for i := range locks {
		l := &locks[i]
		if l.Property != checker.MutualExclusion || l.Status != model.Violated || l.From.Seq > v.To.Seq {
			continue
		}
		v.Sentence = strings.TrimSuffix(v.Sentence, ".") + ", after two had the lock. " + l.Sentence
		if text := model.CauseOf(l.Cause).Text; text != "" && l.Limit {
			v.Sentence += " That is a limit of leases: " + text + "."
		}
		v.Operations = merged(v.Operations, l.Operations)
		v.Observations = merged(v.Observations, l.Observations)
		if l.From.Seq < v.From.Seq {
			v.From = l.From
		}
	}
}

// merged returns the numbers of both, ascending, each once.
func merged[N cmp.Ordered](a, b []N) []N {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// digestProgram adds a program's statements to the hash of a run.
func digestProgram(d *sim.Digest, h *model.History) {
	for i := range h.Statements {
		s := &h.Statements[i]
		d.Uint(uint64(s.Seq))
		d.Uint(uint64(s.Life))
		for _, text := range []string{s.Process, string(s.Kind), s.Name, truth(s.OK), s.Key, s.Detail} {
			d.String(text)
		}
	}
	for i := range h.Actions {
		a := &h.Actions[i]
		d.Uint(uint64(a.Call.Seq))
		d.Uint(uint64(a.Return.Seq))
		for _, text := range []string{a.Process, a.Object, a.In, a.Out, string(a.Result), a.Err} {
			d.String(text)
		}
	}
}
