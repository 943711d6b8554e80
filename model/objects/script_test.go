package objects_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/model/objects"
)

// script reads calls, one for each line or semicolon:
//
//	c1 acquire 1-4 ok token=7
//
// is thread 0 of c1, called at event 1, returned at event 4. "1-" never
// returned, and its outcome is unknown. IDs count from 1. The object is "o"
// unless it says object=; that of a crash is none, which is all.
func script(t *testing.T, s model.Spec, text string) []model.Call {
	t.Helper()
	var calls []model.Call
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		c := model.Call{ID: len(calls) + 1, Client: words[0], Object: "o", Op: model.OpKind(words[1]), Outcome: model.Unknown}
		from, to, _ := strings.Cut(words[2], "-")
		c.Call = number(t, from)
		if to != "" {
			c.Return = number(t, to)
		}
		if c.Op == model.Crash {
			c.Object = ""
		}
		for _, word := range words[3:] {
			set(t, &c, word)
		}
		if err := s.Check(&c); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		calls = append(calls, c)
	}
	return calls
}

func set(t *testing.T, c *model.Call, word string) {
	t.Helper()
	name, arg, _ := strings.Cut(word, "=")
	switch name {
	case "ok", "failed", "unknown":
		c.Outcome = model.Outcome(name)
	case "try":
		c.Try = true
	case "refused":
		c.Refused = true
	case "thread":
		c.Thread = int(number(t, arg))
	case "object":
		c.Object = arg
	case "owner":
		c.Owner = arg
	case "of":
		c.Of = int(number(t, arg))
	case "n":
		c.N = number(t, arg)
	case "expected":
		c.Expected = number(t, arg)
	case "segment":
		c.Segment = int(number(t, arg))
	case "queued":
		c.Queued = number(t, arg)
	case "until":
		c.Until = number(t, arg)
	case "token":
		c.Fenced, c.Token = true, number(t, arg)
	case "value":
		c.Valued, c.Value = true, number(t, arg)
	case "permit":
		c.Permit = arg
	default:
		t.Fatalf("what is %q?", word)
	}
}

func number(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// rule is a history, and whether its model allows it.
type rule struct {
	name  string
	calls string
	legal bool
}

func testRules(t *testing.T, s model.Spec, rules []rule) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			ops := objects.Operations(s, script(t, s, r.calls))
			if got := porcupine.CheckOperations(objects.Model(s), ops); got != r.legal {
				t.Errorf("%s\nlegal: %v, want %v", r.calls, got, r.legal)
			}
		})
	}
}

// spec returns the spec of the kind in stories.
func spec(kind model.Kind) model.Spec {
	for _, s := range stories {
		if s.spec.Kind == kind {
			return s.spec
		}
	}
	panic("no spec of kind " + kind)
}

// TestStories: there is one of each kind, and each spec is valid.
func TestStories(t *testing.T) {
	for i, kind := range model.Kinds() {
		if s := stories[i].spec; s.Kind != kind {
			t.Errorf("story %d is of kind %q, want %q", i, s.Kind, kind)
		} else if err := s.Validate(); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
