package program

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
)

// Rule is a statement about the runs of a program, in its author's words. Each function of this
// package that returns one makes a kind of rule.
type Rule struct {
	// Text is the rule in its author's words, such as "no reminder is sent twice".
	Text string

	kind model.StatementKind // the kind of the statements that it is about, empty if none
	// about is the name of the effect or the object that the rule is about, empty for a rule
	// whose statements have its own text.
	about string
	// object is the object that the rule has a model of, empty for another rule.
	object string
	// judge finds the breach of the rule in a run; nil if no single run can break it.
	judge func(r *Rule, h *model.History) broken
	// reached reports whether a run could have broken the rule or, for Sometimes and Reachable,
	// fulfils it; nil if no run needs to.
	reached func(r *Rule, h *model.History) bool
	// wrong says why the rule is invalid; empty if it is valid.
	wrong string
	// reaches describes a run that reaches the rule: see [Rule.Reaches].
	reaches string
}

// broken is a breach of a rule in a run. The zero value is none.
type broken struct {
	what string       // a sentence, empty if the rule holds
	seqs []int64      // the events that show it, ascending
	at   model.Stamp  // when the rule is broken
	from model.Stamp  // when that began, if it took time
	open model.Status // set if the rule cannot be decided, for the reason in what
}

// Always returns the rule that a condition holds whenever a process checks it, by the process's
// Always with the same text. It is reached by the first check.
func Always(text string) Rule {
	return Rule{
		Text: text, kind: model.SaidAlways,
		judge: func(r *Rule, h *model.History) broken {
			for _, s := range r.statements(h) {
				if !s.OK {
					return broken{what: fmt.Sprintf("It does not hold in %s%s.", s.Process, detail(s)), seqs: []int64{s.Seq}, at: s.Stamp}
				}
			}
			return broken{}
		},
		reached: (*Rule).said, reaches: "a process checked the rule %q: Always with this text",
	}
}

// Sometimes returns the rule that a condition holds in at least one run of a search, as processes report
// by Sometimes with the same text. No run can break it. A search in which it never holds is vacuous: it
// has not tested, for example, the path of the program that the condition describes.
func Sometimes(text string) Rule {
	return Rule{
		Text: text, kind: model.SaidSometimes,
		reached: func(r *Rule, h *model.History) bool {
			for _, s := range r.statements(h) {
				if s.OK {
					return true
				}
			}
			return false
		},
		reaches: "the condition %q held: Sometimes with this text",
	}
}

// Reachable returns the rule that a process reaches a place in at least one run of a search, as it
// reports by Reachable with the same text. It is [Sometimes] without a condition.
func Reachable(text string) Rule {
	return Rule{Text: text, kind: model.SaidReached, reached: (*Rule).said, reaches: "a process came by %q: Reachable with this text"}
}

// Unreachable returns the rule that no process reaches a place, as it would report by Unreachable with
// the same text.
func Unreachable(text string) Rule {
	return Rule{
		Text: text, kind: model.SaidReached,
		judge: func(r *Rule, h *model.History) broken {
			for _, s := range r.statements(h) {
				return broken{what: fmt.Sprintf("%s came by the place%s.", s.Process, detail(s)), seqs: []int64{s.Seq}, at: s.Stamp}
			}
			return broken{}
		},
	}
}

// AtMostOnce returns the rule that an effect happens at most once for each key, over all processes and
// their lives. Processes report effects by Effect. The rule is reached by the first effect of that
// name.
func AtMostOnce(text, effect string) Rule {
	return Rule{
		Text: text, kind: model.SaidEffect, about: effect,
		judge:   func(r *Rule, h *model.History) broken { return r.twice(h) },
		reached: (*Rule).said, reaches: "the effect of the rule %q happened",
	}
}

// ExactlyOnce returns the rule that by the end of a run an effect has happened exactly once for each of
// the keys, and at most once for any other key. Keys are compared by their texts from fmt.Sprint. In a
// run that is cut, a missing effect leaves the rule undecided.
func ExactlyOnce(text, effect string, keys ...any) Rule {
	r := Rule{
		Text: text, kind: model.SaidEffect, about: effect,
		judge: func(r *Rule, h *model.History) broken {
			if b := r.twice(h); b.what != "" {
				return b
			}
			return r.missing(h, keys)
		},
	}
	if len(keys) == 0 {
		r.wrong = "names no keys: say for which it has to happen, or use AtMostOnce"
	}
	return r
}

// said reports whether a process has made a statement that the rule is about.
func (r *Rule) said(h *model.History) bool { return len(r.statements(h)) > 0 }

// Models reports whether the rule has a model of an object.
func (r *Rule) Models(object string) bool { return r.object != "" && r.object == object }

// statements returns the statements that the rule is about.
func (r *Rule) statements(h *model.History) (list []*model.Statement) {
	for i := range h.Statements {
		if s := &h.Statements[i]; s.Kind == r.kind && s.Name == r.name() {
			list = append(list, s)
		}
	}
	return list
}

// name returns the name of the statements that the rule is about.
func (r *Rule) name() string {
	if r.about != "" {
		return r.about
	}
	return r.Text
}

// twice finds an effect that has happened a second time.
func (r *Rule) twice(h *model.History) broken {
	first := map[string]*model.Statement{}
	for _, s := range r.statements(h) {
		was := first[s.Key]
		if was == nil {
			first[s.Key] = s
			continue
		}
		return broken{
			what: fmt.Sprintf("%s happened twice: %s at %s, and %s at %s.", effect(s), who(was), moment(was.At), who(s), moment(s.At)),
			seqs: []int64{was.Seq, s.Seq}, from: was.Stamp, at: s.Stamp,
		}
	}
	return broken{}
}

// missing finds an effect that has not happened at the end of a run.
func (r *Rule) missing(h *model.History, keys []any) broken {
	done := map[string]bool{}
	for _, s := range r.statements(h) {
		done[s.Key] = true
	}
	for _, k := range keys {
		if key := fmt.Sprint(k); !done[key] {
			if h.Cut != "" {
				return broken{what: "The run was cut before its end: " + h.Cut + ".", open: model.Undecided}
			}
			return broken{what: fmt.Sprintf("%s has never happened.", effect(&model.Statement{Name: r.about, Key: key})), at: h.End}
		}
	}
	return broken{}
}

// effect names an effect with its key.
func effect(s *model.Statement) string {
	if s.Key == "" {
		return "The effect " + s.Name
	}
	return fmt.Sprintf("The effect %s of %s", s.Name, s.Key)
}

// who names the process of a statement, with its life if that is not the first.
func who(s *model.Statement) string {
	if s.Life > 1 {
		return fmt.Sprintf("by %s, started for the %s time,", s.Process, ordinal(s.Life))
	}
	return "by " + s.Process
}

// moment returns a time of a run in words, to the millisecond.
func moment(at time.Duration) string { return at.Round(time.Millisecond).String() }

// ordinal returns a number from 2 as a word.
func ordinal(n int) string {
	words := []string{"second", "third"}
	if n-2 < len(words) {
		return words[n-2]
	}
	return fmt.Sprintf("%dth", n)
}

// detail returns the details of a statement, in parentheses.
func detail(s *model.Statement) string {
	if s.Detail == "" {
		return ""
	}
	return " (" + s.Detail + ")"
}

// ID returns the rule's name in files and on command lines: its text in lower-case letters and digits,
// with hyphens between.
func (r *Rule) ID() string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(r.Text), func(c rune) bool { return c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c) }), "-")
}

// Knows reports whether the rule is about statements of a kind with a name.
func (r *Rule) Knows(kind model.StatementKind, name string) bool {
	return r.kind == kind && r.name() == name
}

// Reached reports whether a run could have broken the rule or, for [Sometimes] and
// [Reachable], fulfils it.
func (r *Rule) Reached(h *model.History) bool { return r.reached == nil || r.reached(r, h) }

// Reaches describes the event that must happen in at least one run of a search; empty if
// none must.
func (r *Rule) Reaches() string {
	if r.reached == nil {
		return ""
	}
	return fmt.Sprintf(r.reaches, r.Text)
}

// Property returns the rule as a property of histories. Judged is false if no single run can break it.
func (r *Rule) Property(letter string) (p checker.Property, judged bool) {
	if r.judge == nil {
		return p, false
	}
	one := *r
	return checker.Property{
		ID: r.ID(), Letter: letter, Legend: r.Text, About: r.Text,
		Description: model.Description{Rule: r.Text, Asks: sentence(r.Text), Window: "the rule is broken", Moment: "breaks the rule", Breaks: model.AtEnd, Consequence: model.Damage},
		Verdict:     one.verdict,
	}, true
}

// verdict judges a run.
func (r *Rule) verdict(j *checker.Judge) model.Verdict {
	b := r.judge(r, j.History())
	switch {
	case b.what == "":
		return model.Verdict{Status: model.Holds}
	case b.open != "":
		return model.Verdict{Status: b.open, Sentence: b.what}
	}
	v := model.Verdict{Status: model.Violated, Sentence: b.what, Observations: b.seqs, From: b.from, To: b.at}
	if !v.From.Happened() {
		v.From = b.at
	}
	return v
}

// sentence returns a text as a sentence.
func sentence(text string) string {
	first, rest := text[:1], text[1:]
	return strings.ToUpper(first) + strings.TrimRight(rest, ".") + "."
}
