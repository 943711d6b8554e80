package program_test

import (
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/program/models"
)

// said is a history of statements, one each ten milliseconds: "p1 effect mail 1".
func said(statements ...model.Statement) *model.History {
	h := &model.History{}
	for i, s := range statements {
		s.Stamp = model.Stamp{Seq: int64(i + 1), At: time.Duration(i) * 10 * time.Millisecond}
		s.Life = max(s.Life, 1)
		h.Statements = append(h.Statements, s)
		h.Observations = append(h.Observations, model.Observation{Stamp: s.Stamp, Node: s.Process, Kind: model.Noted, Note: &model.Note{Event: "x"}})
	}
	h.End = model.Stamp{Seq: int64(len(statements) + 1), At: time.Second}
	return h
}

func mail(process, key string, life int) model.Statement {
	return model.Statement{Process: process, Kind: model.SaidEffect, Name: "mail", Key: key, OK: true, Life: life}
}

func always(process string, ok bool, detail string) model.Statement {
	return model.Statement{Process: process, Kind: model.SaidAlways, Name: "it holds", OK: ok, Detail: detail}
}

// done is a history of actions on x: each has its process, its call and return as event numbers (0: it
// never returned), and its operation and answer.
func done(actions ...model.Action) *model.History {
	h := &model.History{End: model.Stamp{Seq: 100, At: time.Second}}
	for i, a := range actions {
		a.ID, a.Object, a.Life, a.Result = i+1, "x", 1, model.OK
		if a.Return.Seq == 0 {
			a.Result = model.Unknown
		}
		h.Actions = append(h.Actions, a)
		for _, at := range []model.Stamp{a.Call, a.Return} {
			if at.Seq > 0 {
				h.Observations = append(h.Observations, model.Observation{Stamp: at, Node: a.Process, Kind: model.Noted, Note: &model.Note{Event: "x"}})
			}
		}
	}
	return h
}

// lived is a history of p1, in milliseconds: when its Main begins, the last fault ends, its context ends, and it says something.
func lived(began, healed, over int, says ...int) *model.History {
	h := &model.History{Healed: time.Duration(healed) * time.Millisecond, End: model.Stamp{Seq: 10_000, At: time.Second}}
	say := func(kind model.StatementKind, ms int) {
		at := model.Stamp{Seq: int64(ms) + 1, At: time.Duration(ms) * time.Millisecond}
		h.Statements = append(h.Statements, model.Statement{Stamp: at, Process: "p1", Life: 1, Kind: kind, Name: "round"})
		h.Observations = append(h.Observations, model.Observation{Stamp: at, Node: "p1", Kind: model.Noted, Note: &model.Note{Event: "x"}})
	}
	say(model.SaidBegan, began)
	for _, ms := range says {
		say(model.SaidEvent, ms)
	}
	if over < 1000 {
		say(model.SaidOver, over)
	}
	return h
}

// crashed is a history in which p1 crashes.
func crashed(h *model.History, ms int) *model.History {
	at := model.Stamp{Seq: int64(ms) + 1, At: time.Duration(ms) * time.Millisecond}
	h.Observations = append(h.Observations, model.Observation{Stamp: at, Node: "p1", Kind: model.Crashed})
	return h
}

func act(process string, call, end int64, in, out any) model.Action {
	return model.Action{Process: process, Call: model.Stamp{Seq: call}, Return: model.Stamp{Seq: end}, Input: in, Output: out, In: strings.TrimSpace("op"), Out: "answer"}
}

// perKey is a model of porcupine's own kind, whose state is one key: it needs its Partition.
var perKey = porcupine.Model{
	Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
		by := map[string][]porcupine.Operation{}
		for _, op := range history {
			by[op.Input.([2]string)[0]] = append(by[op.Input.([2]string)[0]], op)
		}
		return append(parts, by["k1"], by["k2"])
	},
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		if written := input.([2]string)[1]; written != "" {
			return true, written
		}
		return output.(string) == state, state // it knows no answer that is not known
	},
}

// TestRules judges histories on either side of each rule.
func TestRules(t *testing.T) {
	once := program.AtMostOnce("no mail twice", "mail")
	exactly := program.ExactlyOnce("each mail once", "mail", 1, "b")
	holds := program.Always("it holds")
	on := program.Progress("it gets on", 400*time.Millisecond)
	for _, test := range []struct {
		name string
		rule program.Rule
		h    *model.History
		want string // the sentence, or the status
	}{
		{"no effect", once, said(), "holds"},
		{"two keys", once, said(mail("p1", "1", 1), mail("p2", "2", 1)), "holds"},
		{"one key twice", once, said(mail("p1", "1", 1), mail("p1", "2", 1), mail("p2", "1", 1)), "The effect mail of 1 happened twice: by p1 at 0s, and by p2 at 20ms."},
		{"in two lives", once, said(mail("p1", "1", 1), mail("p1", "1", 2)), "The effect mail of 1 happened twice: by p1 at 0s, and by p1, started for the second time, at 10ms."},
		{"another effect", once, said(mail("p1", "1", 1), model.Statement{Process: "p1", Kind: model.SaidEffect, Name: "letter", Key: "1"}), "holds"},
		{"both once", exactly, said(mail("p1", "1", 1), mail("p1", "b", 1)), "holds"},
		{"one is missing", exactly, said(mail("p1", "1", 1)), "The effect mail of b has never happened."},
		{"one of another key twice", exactly, said(mail("p1", "1", 1), mail("p1", "b", 1), mail("p1", "c", 1), mail("p1", "c", 1)), "The effect mail of c happened twice"},
		{"it held", holds, said(always("p1", true, "")), "holds"},
		{"it did not hold", holds, said(always("p1", true, ""), always("p2", false, "stock -1")), "It does not hold in p2 (stock -1)."},
		{"an unreachable place", program.Unreachable("never here"), said(model.Statement{Process: "p1", Kind: model.SaidReached, Name: "never here"}), "p1 came by the place."},
		{"gets on", on, lived(0, 0, 1000, 300, 600), "holds"},
		{"gets on until its context ends", on, lived(0, 0, 700, 300, 600), "holds"},
		{"does not get on to the end", on, lived(0, 0, 1000, 300), "p1 has not got on for 700ms after what it did at 300ms, until 1s."},
		{"does not get on in between", on, lived(0, 0, 1000, 100, 600, 900), "p1 has not got on for 500ms after what it did at 100ms, until 600ms."},
		{"does not get on during a fault", on, lived(0, 500, 1000, 600, 900), "holds"},
		{"does not get on after a fault", on, lived(0, 500, 1000, 950), "p1 has not got on for 450ms since the last fault, until 950ms."},
		{"begins late", on, lived(500, 0, 1000, 700), "holds"},
		{"begins late and does nothing", on, lived(500, 0, 1000), "p1 has not got on for 500ms since it began, until 1s."},
		{"dies", on, crashed(lived(0, 0, 1000, 300), 500), "holds"},
		{"lives again", on, crashed(lived(0, 0, 1000, 300, 800), 500), "holds"},
		{"in order", program.Linearizable("x is right", "x", models.Counter(3)), done(act("p1", 1, 2, models.Take{N: 2}, true), act("p2", 3, 4, models.Take{N: 2}, false)), "holds"},
		{"out of order", program.Linearizable("x is right", "x", models.Counter(3)), done(act("p1", 1, 2, models.Take{N: 2}, true), act("p2", 3, 4, models.Take{N: 2}, true)), "No order of the operations on x explains that p2's op was answered answer; before it: p1's op was answered answer."},
		{"a crashed one explains it", program.Linearizable("x is right", "x", models.Counter(3)), done(act("p1", 1, 0, models.Take{N: 2}, nil), act("p2", 3, 4, models.Take{N: 2}, false)), "holds"},
		{"a crashed one does not explain it twice", program.Linearizable("x is right", "x", models.Counter(3)), done(act("p1", 1, 0, models.Take{N: 2}, nil), act("p2", 3, 4, models.Get{}, -1)), "No order"},
		{"a model with parts", program.Linearizable("x is right", "x", perKey), done(act("p1", 1, 2, [2]string{"k1", "a"}, nil), act("p1", 3, 4, [2]string{"k2", ""}, "")), "holds"},
		{"an answer that the model does not know", program.Linearizable("x is right", "x", perKey), done(act("p1", 1, 0, [2]string{"k1", ""}, nil), act("p1", 3, 4, [2]string{"k1", "b"}, "")), "holds"},
		{"an operation that the model does not know", program.Linearizable("x is right", "x", models.Counter(3)), done(act("p1", 1, 2, models.Read{}, 1)), "panicked: models.Counter has no operation models.Read"},
	} {
		properties, err := program.Properties([]program.Rule{test.rule})
		if err != nil {
			t.Fatal(err)
		}
		v := checker.Check(test.h, checker.Options{Added: properties}, properties[0].ID)[0]
		got := v.Sentence
		if got == "" {
			got = string(v.Status)
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestReached says which runs could have broken a rule.
func TestReached(t *testing.T) {
	for _, test := range []struct {
		rule program.Rule
		h    *model.History
		want bool
	}{
		{program.Always("it holds"), said(), false},
		{program.Always("it holds"), said(always("p1", true, "")), true},
		{program.Sometimes("at times"), said(model.Statement{Kind: model.SaidSometimes, Name: "at times"}), false},
		{program.Sometimes("at times"), said(model.Statement{Kind: model.SaidSometimes, Name: "at times", OK: true}), true},
		{program.Reachable("here"), said(model.Statement{Kind: model.SaidReached, Name: "here"}), true},
		{program.AtMostOnce("no mail twice", "mail"), said(), false},
		{program.Progress("it gets on", time.Second), lived(0, 500, 1000, 400), false},
		{program.Progress("it gets on", time.Second), lived(0, 500, 1000, 600), true},
		{program.Linearizable("x is right", "x", models.Counter(3)), done(act("p1", 1, 0, models.Get{}, nil)), false},
		{program.Linearizable("x is right", "x", models.Counter(3)), done(act("p1", 1, 2, models.Get{}, 3)), true},
	} {
		if got := test.rule.Reached(test.h); got != test.want {
			t.Errorf("%s: reached %t, want %t", test.rule.Text, got, test.want)
		}
	}
}

// TestMistakes has rules that cannot be used.
func TestMistakes(t *testing.T) {
	for _, test := range []struct {
		rules []program.Rule
		want  string
	}{
		{[]program.Rule{program.Always("")}, "rule 1 has the text \"\": say in a few words what holds"},
		{[]program.Rule{program.Always("It holds."), program.Unreachable("it holds")}, "two rules have one name: \"It holds.\" and \"it holds\""},
		{[]program.Rule{program.ExactlyOnce("once", "mail")}, "the rule \"once\" names no keys"},
		{[]program.Rule{program.Progress("it gets on", 0)}, "the rule \"it gets on\" gives 0s to get on: want more than 0"},
		{[]program.Rule{program.Always("mutual exclusion")}, "mutual-exclusion is one of the checker's own properties"},
		{[]program.Rule{program.Linearizable("x is right", "x", porcupine.Model{})}, "has a model without Init or Step"},
	} {
		if _, err := program.Properties(test.rules); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v", test.want, err)
		}
	}
}
