package program

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// Own returns the rules that every program has, about the results of Main and Finally. They precede the
// author's.
func Own(finally bool) []Rule {
	list := []Rule{
		{
			Text: "Main returns no error", kind: model.SaidEnded,
			judge: func(r *Rule, h *model.History) broken { return r.failed(h, false, "%s's Main returned the error: %s") },
		},
		{
			Text: "Main returns when its context has ended", kind: model.SaidBegan,
			judge: func(r *Rule, h *model.History) broken { return r.endless(h) },
		},
	}
	if finally {
		list = append(list, Rule{
			Text: "what Finally asks holds at the end", kind: model.SaidEnded,
			judge: func(r *Rule, h *model.History) broken { return r.failed(h, true, "%.0sFinally returned the error: %s") },
			reached: func(r *Rule, h *model.History) bool {
				for i := range h.Statements {
					if s := &h.Statements[i]; s.Process == model.Observer && s.Kind == model.SaidEnded {
						return true
					}
				}
				return false
			},
			reaches: "all processes ended or were idle and Finally was run (%q)",
		})
	}
	return list
}

// failed finds the first error that Main or, with finally, Finally has returned.
func (r *Rule) failed(h *model.History, finally bool, format string) broken {
	for i := range h.Statements {
		if s := &h.Statements[i]; s.Kind == model.SaidEnded && !s.OK && (s.Process == model.Observer) == finally {
			return broken{what: fmt.Sprintf(format, s.Process, s.Detail), seqs: []int64{s.Seq}, at: s.Stamp}
		}
	}
	return broken{}
}

// endless finds a process that had not returned at the end of the run.
func (r *Rule) endless(h *model.History) broken {
	var running []*model.Statement
	for i := range h.Statements {
		switch s := &h.Statements[i]; s.Kind {
		case model.SaidOver: // instead of the beginning of the same life
			running = append(without(running, s.Process), s)
		case model.SaidBegan:
			running = append(running, s)
		case model.SaidEnded:
			running = without(running, s.Process)
		}
	}
	for i := range h.Observations {
		if o := &h.Observations[i]; o.Kind == model.Crashed && dies(running, o) {
			running = without(running, o.Node)
		}
	}
	if len(running) == 0 {
		return broken{}
	}
	for _, s := range running {
		if late := h.End.At - s.At; s.Kind == model.SaidOver && late >= patience {
			return broken{what: fmt.Sprintf("%s had not returned %s after its context had ended, at the end of the run.", name(s), moment(late)), at: h.End, from: s.Stamp}
		}
	}
	if h.Cut != "" {
		return broken{what: "The run was cut before its end: " + h.Cut + ".", open: model.Undecided}
	}
	s := running[0]
	return broken{what: name(s) + " had not returned at the end of the run.", at: h.End}
}

// patience is how long a Main may go on after its context has ended.
const patience = 30 * time.Second

// name returns the name of the function that a process runs.
func name(s *model.Statement) string {
	if s.Process == model.Observer {
		return "Finally"
	}
	return s.Process + "'s Main"
}

// dies reports whether a crash ended one of the lives.
func dies(lives []*model.Statement, crash *model.Observation) bool {
	for _, s := range lives {
		if s.Process == crash.Node && s.Seq < crash.Seq {
			return true
		}
	}
	return false
}

func without(lives []*model.Statement, process string) (left []*model.Statement) {
	for _, s := range lives {
		if s.Process != process {
			left = append(left, s)
		}
	}
	return left
}
