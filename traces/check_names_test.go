package traces_test

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// names are the places of a trace that have a name.
var names = map[string]func(t *traces.Trace, name string){
	"scenario": func(t *traces.Trace, name string) { t.Scenario = name },
	"lock":     func(t *traces.Trace, name string) { t.Lock = name },
	"store":    func(t *traces.Trace, name string) { t.Store = name },
	"strategy": func(t *traces.Trace, name string) { t.Strategy = name },
	"property": func(t *traces.Trace, name string) {
		t.Property, t.Verdicts[0].Property = name, name
		t.Verdicts[0].Status = model.Violated
	},
	"verdicts[0].property": func(t *traces.Trace, name string) { t.Verdicts[0].Property = name },
	"properties[0].id":     func(t *traces.Trace, name string) { t.Properties = []traces.Property{{ID: name}} },
	"parameters[0].name":   func(t *traces.Trace, name string) { t.Parameters[0].Name = name },
	"shrunk.parameters[0].name": func(t *traces.Trace, name string) {
		t.Shrunk = &traces.Shrunk{Parameters: []traces.Parameter{{Name: name}}}
	},
	"actors[0].name":                          func(t *traces.Trace, name string) { t.Actors[0].Name = name },
	"tape[0].actor":                           func(t *traces.Trace, name string) { t.Tape[0].Actor = name },
	"events[0].actor":                         func(t *traces.Trace, name string) { t.Events[0].Actor = name },
	"events[0].peer":                          func(t *traces.Trace, name string) { t.Events[0].Peer = name },
	"history.operations[0].client":            func(t *traces.Trace, name string) { t.History.Operations[0].Client = name },
	"history.observations[0].node":            func(t *traces.Trace, name string) { t.History.Observations[0].Node = name },
	"history.observations[0].owner.client":    func(t *traces.Trace, name string) { t.History.Observations[0].Owner.Client = name },
	"history.observations[0].oldOwner.client": func(t *traces.Trace, name string) { t.History.Observations[0].OldOwner.Client = name },
	"history.observations[0].by.client":       func(t *traces.Trace, name string) { t.History.Observations[0].By.Client = name },
	"history.observations[0].sides":           func(t *traces.Trace, name string) { t.History.Observations[0].Sides = &model.Sides{B: []string{name}} },
	"history.calls[0].client": func(t *traces.Trace, name string) {
		t.History.Calls = []model.Call{{ID: 99, Op: model.Crash, Client: name, Call: 1}}
	},
	"history.statements[0].process": func(t *traces.Trace, name string) {
		t.History.Statements = []model.Statement{{Stamp: t.History.Operations[0].Call, Process: name, Kind: model.SaidBegan, Life: 1}}
	},
	"history.actions[0].process": func(t *traces.Trace, name string) {
		t.History.Actions = []model.Action{{ID: 1, Process: name, Object: "x", Life: 1, Call: t.History.Operations[0].Call}}
	},
}

// TestNames: a name is read if it is one, and refused where it could be something else.
func TestNames(t *testing.T) {
	long := strings.Repeat("x", 64)
	for where, set := range names { // unordered: each by itself
		for _, name := range []string{"c9", "Redis-1.a_b", "9", long} {
			trace := sampletraces.Calm()
			set(trace, name)
			if _, err := traces.Decode(strings.NewReader(string(encode(t, trace)))); err != nil {
				t.Errorf("%s may be %q: %v", where, name, err)
			}
		}
		tooLong := strings.Repeat("x", 501)
		for _, name := range []string{"exec.Command(`touch`,`x`) //", "a b", "-rf", ".a", "_", "a/b", "a:b", "a;b", "a\nb", "é", "a\x00", "<b>", tooLong} {
			trace := sampletraces.Calm()
			set(trace, name)
			refuse(t, string(encode(t, trace)), where+": ", "is no name: want up to", "damaged or edited")
		}
	}
}

// TestTestNames: a test may be called as go test allows, and its package is an import path.
func TestTestNames(t *testing.T) {
	for _, c := range []struct{ name, path, lock, refused string }{
		{"TestX", "", "TestX", ""},
		{"TestX/a_lock,_50_%/`é\"#01", "example.com/a-b/v2/c_d/~e+f", "the lock", ""},
		{"TestX", "_/tmp/x", "TestX/é", ""},
		{"TestX y", "", "TestX", "test.name: "},
		{"-exec", "", "TestX", "test.name: "},
		{"Test\nX", "", "TestX", "test.name: "},
		{strings.Repeat("x", 1001), "", "TestX", "test.name: "},
		{"TestX", "-exec=sh", "TestX", "test.package: "},
		{"TestX", "a/../b", "TestX", "test.package: "},
		{"TestX", "a//b", "TestX", "test.package: "},
		{"TestX", "a b", "TestX", "test.package: "},
		{"TestX", "a", "Test\x1bX", "lock: "},
	} {
		trace := sampletraces.Calm()
		trace.Test, trace.Lock = &traces.Test{Name: c.name, Package: c.path, Call: 1}, c.lock
		text := string(encode(t, trace))
		if c.refused != "" {
			refuse(t, text, c.refused)
		} else if _, err := traces.Decode(strings.NewReader(text)); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	trace := sampletraces.Calm()
	trace.Experiment, trace.Lock = &traces.Experiment{}, "setpx, 50 %"
	if _, err := traces.Decode(strings.NewReader(string(encode(t, trace)))); err != nil {
		t.Error(err)
	}
}

// TestFreeText: what is no name may be any text.
func TestFreeText(t *testing.T) {
	trace := sampletraces.Calm()
	const text = "exec.Command(`x`) // \"é\" \n\x00<b> «#0»"
	trace.History.LockName, trace.History.Operations[0].Err, trace.Events[0].Detail, trace.Parameters[0].Value = text, text, text, text
	trace.History.Observations[0].Key, trace.History.Observations[0].Value, trace.Verdicts[0].Sentence = text, text, text
	got, err := traces.Decode(strings.NewReader(string(encode(t, trace))))
	if err != nil || got.History.LockName != text || got.Verdicts[0].Sentence != text {
		t.Errorf("%v", err)
	}
}
