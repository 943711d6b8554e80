package program

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// Progress returns the rule that each process progresses once all faults are over: until its Main has returned
// or its context has ended, no more than within passes without a sign of life. Signs are calls of Event,
// Effect, Always, Sometimes and Reachable, an operation of Do that returns, and the return of Main. A process
// that polls must make such a call only when it has got something done. The rule is reached by the first sign
// after the last fault. Within is in true time, by no process's clock, and must be more than 0.
func Progress(text string, within time.Duration) Rule {
	r := Rule{
		Text: text,
		judge: func(_ *Rule, h *model.History) broken {
			for _, l := range livesIn(h) {
				if b := l.stuck(h, within); b.what != "" {
					return b
				}
			}
			return broken{}
		},
		reached: func(_ *Rule, h *model.History) bool {
			return slices.ContainsFunc(livesIn(h), func(l *life) bool {
				return slices.ContainsFunc(l.signs, func(s model.Stamp) bool { return s.At >= h.Healed })
			})
		},
		reaches: "a process got on after the last fault (%q)",
	}
	if within <= 0 {
		r.wrong = fmt.Sprintf("gives %v to get on: want more than 0", within)
	}
	return r
}

// life is one life of a process, from the beginning of its Main.
type life struct {
	process string
	began   model.Stamp
	signs   []model.Stamp // ascending
	until   model.Stamp   // when Main returned, its context ended, or it crashed
}

// livesIn returns the lives of the program's processes in a run, in the order of their beginnings.
func livesIn(h *model.History) (list []*life) {
	of := func(process string, at int64) *life {
		var last *life
		for _, l := range list {
			if l.process == process && l.began.Seq < at {
				last = l
			}
		}
		return last
	}
	ends := func(process string, at model.Stamp) {
		if l := of(process, at.Seq); l != nil && !l.until.Happened() {
			l.until = at
		}
	}
	for i := range h.Statements {
		s := &h.Statements[i]
		l := of(s.Process, s.Seq)
		switch {
		case s.Process == model.Observer:
		case s.Kind == model.SaidBegan:
			list = append(list, &life{process: s.Process, began: s.Stamp})
		case l == nil:
		case s.Kind == model.SaidEnded || s.Kind == model.SaidOver:
			ends(s.Process, s.Stamp)
		default:
			l.signs = append(l.signs, s.Stamp)
		}
	}
	for i := range h.Actions {
		if a := &h.Actions[i]; a.Return.Happened() {
			if l := of(a.Process, a.Return.Seq); l != nil {
				l.signs = append(l.signs, a.Return)
			}
		}
	}
	for i := range h.Observations {
		if o := &h.Observations[i]; o.Kind == model.Crashed {
			if l := of(o.Node, o.Seq); l != nil && (!l.until.Happened() || o.Seq < l.until.Seq) {
				l.until = o.Stamp
			}
		}
	}
	for _, l := range list {
		slices.SortFunc(l.signs, func(a, b model.Stamp) int { return cmp.Compare(a.Seq, b.Seq) })
		if !l.until.Happened() {
			l.until = h.End
		}
	}
	return list
}

// stuck finds the first time after the last fault for which a process did not progress.
func (l *life) stuck(h *model.History, within time.Duration) broken {
	before, last, what := l.began, max(l.began.At, h.Healed), "since the last fault"
	if l.began.At >= h.Healed {
		what = "since it began"
	}
	for _, s := range append(slices.Clone(l.signs), l.until) {
		if s.At > l.until.At {
			break
		}
		if gap := s.At - last; gap > within {
			return broken{
				what: fmt.Sprintf("%s has not got on for %s %s, until %s.", l.process, moment(gap), what, moment(s.At)),
				from: model.Stamp{Seq: before.Seq, At: last}, at: s,
			}
		}
		if before = s; s.At > last {
			last, what = s.At, "after what it did at "+moment(s.At)
		}
	}
	return broken{}
}
