package history

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// read reads one file without a name.
func read(text string) (*History, error) {
	return Read(Options{}, Input{Reader: strings.NewReader(text)})
}

// op is a line.
func op(client, op string, call, ret int64) string {
	return fmt.Sprintf(`{"client":%q,"object":"o","op":%q,"call":%d,"return":%d,"outcome":"ok"}`+"\n", client, op, call, ret)
}

// TestRead takes up every field, in the order of calls.
func TestRead(t *testing.T) {
	h, err := read(`
{"id":9,"client":"c2","thread":1,"object":"o","op":"release","of":7,"owner":"x","n":2,"call":40,"return":50,"outcome":"failed"}
{"id":7,"client":"c1","object":"o","op":"acquire","try":true,"call":10,"return":20,"outcome":"ok","until":45,"token":0,"permit":"p"}
{"client":"c3","object":"s","op":"read","segment":1,"call":30,"outcome":"unknown","value":-3}
{"client":"c3","op":"crash","call":60,"outcome":"unknown"}
{"annotation":"paused","on":"c1","from":15,"to":42}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Call{
		{ID: 1, Client: "c1", Object: "o", Op: model.Acquire, Try: true, Call: 1, Return: 2, Outcome: model.OK, Until: 5, Fenced: true, Permit: "p"},
		{ID: 2, Client: "c3", Object: "s", Op: model.Read, Segment: 1, Call: 3, Outcome: model.Unknown, Valued: true, Value: -3},
		{ID: 3, Client: "c2", Thread: 1, Object: "o", Op: model.Release, Of: 1, Owner: "x", N: 2, Call: 4, Return: 6, Outcome: model.Failed},
		{ID: 4, Client: "c3", Op: model.Crash, Call: 7, Outcome: model.Unknown},
	}
	if len(h.Calls) != len(want) {
		t.Fatalf("%d calls", len(h.Calls))
	}
	for i := range want {
		if h.Calls[i] != want[i] {
			t.Errorf("call %d:\ngot  %+v\nwant %+v", i+1, h.Calls[i], want[i])
		}
	}
	if o := h.Origins[0]; o != (Origin{Line: 3, Call: 10, Return: 20, Until: 45}) || o.String() != "line 3" {
		t.Errorf("origin %+v, %s", o, o)
	}
	if a := h.Annotations[0]; a != (Annotation{Text: "paused", On: "c1", From: 2, To: 4, Began: 15, Ended: 42}) || h.Shared != 0 {
		t.Errorf("annotation %+v, %d shared", a, h.Shared)
	}
}

// TestErrors: whatever is wrong is told with its line.
func TestErrors(t *testing.T) {
	good := op("c1", "acquire", 1, 2)
	line := func(old, new string) string { return good + strings.Replace(op("c2", "acquire", 3, 4), old, new, 1) }
	for _, test := range []struct{ name, in, says string }{
		{"no JSON", good + "acquire c1", "line 2: "},
		{"an array", "[1]", "line 1: a JSON array: want one object per line, which jq"},
		{"a number", "1", "line 1: want a JSON object, such as {"},
		{"an unknown field", line(`"op"`, `"operation"`), `line 2: unknown field "operation"; an operation has id, client, `},
		{"another case", line(`"op"`, `"Op"`), `line 2: unknown field "Op"`},
		{"a field twice", line(`"call":3`, `"call":3,"call":5`), "line 2: field call is given twice"},
		{"a string for a number", line(`"call":3`, `"call":"3"`), `line 2: field call: want a whole number of 64 bits, at least 1, not "3"`},
		{"a number for a string", line(`"c2"`, "2"), "line 2: field client: want a string, not 2"},
		{"a flag that is none", line(`"call":3`, `"try":1,"call":3`), "line 2: field try: want true or false, not 1"},
		{"null", line(`"c2"`, "null"), "line 2: field client: want a string, not null"},
		{"an object", line(`"c2"`, "{}"), "line 2: field client: want a string, not {"},
		{"a fraction", line(`"call":3`, `"call":3.5`), "want a whole number of 64 bits, at least 1, not 3.5"},
		{"beyond 64 bits", line(`"call":3`, `"call":9223372036854775808`), "not 9223372036854775808"},
		{"stamp 0", line(`"call":3`, `"call":0`), "field call: want a whole number of 64 bits, at least 1, not 0"},
		{"no client", line(`"client":"c2",`, ""), "line 2: no field client: an operation such as {"},
		{"an empty client", line(`"c2"`, `""`), "line 2: field client is empty"},
		{"no object", line(`"object":"o",`, ""), "line 2: no field object"},
		{"no outcome", line(`,"outcome":"ok"`, ""), "line 2: no field outcome"},
		{"another outcome", line(`"outcome":"ok"`, `"outcome":"OK"`), `line 2: field outcome: want ok, failed or unknown, not "OK"`},
		{"ok, but no return", line(`"return":4,`, ""), "line 2: outcome ok without a field return"},
		{"returned before the call", line(`"return":4`, `"return":2`), "line 2: returned at 2, before it was called at 3"},
		{"a comma behind", strings.TrimSpace(good) + ",", `line 1: "," behind the object: want one JSON object a line`},
		{"an object of several lines", "{\n" + good[1:], "line 1: not JSON: the object does not end on this line: want one object a line, which jq -c ."},
		{"two objects in a line", strings.TrimSpace(good) + op("c2", "acquire", 3, 4), "line 1: more than one JSON object"},
		{"half a line", good + `{"client":"c2","obj`, "line 2: not JSON"},
		{"an object that does not end", good + strings.TrimSuffix(op("c2", "acquire", 3, 4), "}\n"), "line 2: not JSON: the object does not end"},
		{"not UTF-8", line("c2", "c\xff"), "line 2: a byte that is not UTF-8, in column "},
		{"half a pair", line("c2", `c\ud800`), `line 2: \ud800 is half of a surrogate pair`},
		{"too long", line("c2", strings.Repeat("c", MaxLine)), "line 2: more than 65536 bytes"},
		{"a busy client", good + op("c1", "release", 5, 9) + op("c1", "acquire", 8, 10), `line 3: "c1" calls acquire at 8 while its release of line 2 is under way, from 5 to 9`},
		{"of nothing", line(`"call":3`, `"of":3,"call":3`), "line 2: of 3: no operation in this file has that id"},
		{"of itself", line(`"call":3`, `"id":3,"of":3,"call":3`), "line 2: of 3: that is this operation itself"},
		{"of a release", `{"id":1,"client":"c1","object":"o","op":"release","call":1,"return":2,"outcome":"ok"}` + "\n" + line(`"call":3`, `"of":1,"call":3`)[len(good):], `line 2: of 1: that is "release", where an acquire was expected`},
		{"of another object", `{"id":1,"client":"c1","object":"p","op":"acquire","call":1,"return":2,"outcome":"ok"}` + "\n" + line(`"call":3`, `"of":1,"call":3`)[len(good):], `line 2: of 1: that is an operation on "p", not on "o"`},
		{"an id twice", strings.Repeat(`{"id":1,"client":"c1","object":"o","op":"acquire","call":1,"return":2,"outcome":"ok"}`+"\n", 2), "line 2: id 1 is that of line 1, an operation that has returned"},
		{"another operation completed", `{"id":1,"client":"c1","object":"o","op":"acquire","call":1,"outcome":"unknown"}` + "\n" + `{"id":1,"client":"c1","object":"o","op":"acquire","call":2,"return":3,"outcome":"ok"}`, "line 2: id 1 is that of line 1, another operation"},
		{"an annotation without a time", good + `{"annotation":"x"}`, "line 2: no field from"},
		{"an annotation that ends early", good + `{"annotation":"x","from":3,"to":2}`, "line 2: to 2 is before from 3"},
		{"an annotation with a client", good + `{"annotation":"x","from":3,"client":"c1"}`, "line 2: field client in an annotation, which has annotation, on, from, to"},
		{"an operation with a from", line(`"call":3`, `"call":3,"from":3`), "line 2: field from in an operation"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Read(Options{Format: NDJSON}, Input{Reader: strings.NewReader(test.in)})
			var wrong *LineError
			if !errors.As(err, &wrong) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got  %v\nwant %s", err, test.says)
			}
		})
	}
}

// TestLimit: more operations than allowed are an error, and not read.
func TestLimit(t *testing.T) {
	in := strings.NewReader(op("c1", "acquire", 1, 2) + op("c1", "release", 3, 4) + op("c1", "acquire", 5, 6))
	if _, err := Read(Options{MaxCalls: 2}, Input{Reader: in}); err == nil || err.Error() != "line 3: more than 2 operations" {
		t.Errorf("got %v", err)
	}
}

// TestFiles: each file has ids of its own, and errors name the file.
func TestFiles(t *testing.T) {
	file := func(client string, at int64) string {
		return `{"id":1,` + op(client, "acquire", at, at+1)[1:] + `{"id":2,"of":1,` + op(client, "release", at+2, at+3)[1:]
	}
	h, err := Read(Options{}, Input{"a", strings.NewReader(file("c1", 11))}, Input{"b", strings.NewReader(file("c2", 1))})
	if err != nil {
		t.Fatal(err)
	}
	if h.Calls[0].Client != "c2" || h.Calls[1].Of != 1 || h.Calls[3].Of != 3 || h.Origins[3].String() != "a:2" {
		t.Errorf("%+v %+v", h.Calls, h.Origins)
	}
	_, err = Read(Options{}, Input{"a", strings.NewReader(file("c1", 11))}, Input{"b", strings.NewReader("{\"x\":1}")})
	if err == nil || !strings.HasPrefix(err.Error(), `b:1: unknown field "x"`) {
		t.Errorf("got %v", err)
	}
	_, err = Read(Options{}, Input{"a", strings.NewReader(file("c1", 11))}, Input{"b", strings.NewReader(file("c1", 11))})
	if err == nil || !strings.HasPrefix(err.Error(), `b:1: "c1" calls acquire at 11 while its acquire of a:1 is under way`) {
		t.Errorf("got %v", err)
	}
}

// TestByteOrderMark skips what some editors put first.
func TestByteOrderMark(t *testing.T) {
	if h, err := read("\ufeff" + op("c1", "acquire", 1, 2)); err != nil || len(h.Calls) != 1 {
		t.Errorf("%v", err)
	}
}

// TestFormats tells the formats apart by what a file begins with.
func TestFormats(t *testing.T) {
	for text, want := range map[string]Format{
		"": NDJSON, " \n": NDJSON, "[\n{\"client": NDJSON, "[": EDN, "[]": EDN, "{": "", `{"client"`: NDJSON, "\n{ \"": NDJSON, "{}": NDJSON,
		"{:type": EDN, "[{": "", "[{:type": EDN, "(": EDN, "#jepsen": EDN, "#_{}": EDN, "; x": EDN, "{ :": EDN, "{#_": EDN, "{{": "",
		"# a comment": "", "#!/bin/sh": "", "client,op": "", "2026-03-01 pod-a": "", "[1": "", "{client": "", "{'client'": "", "null": "", "\"x\"": "",
	} {
		if got := formatByHead([]byte(text)); got != want {
			t.Errorf("%q is taken for %q", text, got)
		}
	}
}

// TestNeither: a file that begins like neither format is told so, with its line, and the
// error of any other line says as what its file was read.
func TestNeither(t *testing.T) {
	for _, test := range []struct {
		in             string
		given          Format
		format, begins Format
		says           string
	}{
		{"\n\n2026-03-01 pod-a asks\n", "", "", "", `line 3: "2026-03-01 pod-a asks" begins like neither NDJSON (one JSON object a line, such as {"client"`},
		{"client,op\nc1,acquire\n", "", "", "", "nor Jepsen's EDN (one map an event, such as {:type :invoke"},
		{"\x1f\x8b\x08\x00", "", "", "", "line 1: compressed by gzip: want the text, which zcat"},
		{"\x1f\x8b\x08\x00", NDJSON, "", "", "line 1: compressed by gzip"},
		{"\xff\xfe{\x00", EDN, "", "", "line 1: UTF-16: want UTF-8"},
		{`{"client":3}`, "", NDJSON, NDJSON, "line 1: field client"},
		{`{"client":3}`, EDN, EDN, NDJSON, "line 1: "},
		{"{:type :x}", "", EDN, EDN, "line 1: "},
		{"{:type :x}", NDJSON, NDJSON, EDN, "line 1: not JSON"},
		{"c1 acquires", NDJSON, NDJSON, "", "line 1: want a JSON object, such as {"},
		{op("c1", "acquire", 1, 2) + op("c1", "acquire", 1, 2), "", NDJSON, NDJSON, "line 2: "},
	} {
		_, err := Read(Options{Format: test.given, Kind: model.KindMutex}, Input{Reader: strings.NewReader(test.in)})
		var wrong *LineError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), test.says) || wrong.Format != test.format || wrong.Begins != test.begins {
			t.Errorf("%q: %v, read as %q, begins like %q", test.in, err, wrong.Format, wrong.Begins)
		}
	}
	if err := func() error {
		_, err := Read(Options{}, Input{"a", strings.NewReader(op("c1", "acquire", 1, 2))}, Input{"b", strings.NewReader("hello")})
		return err
	}(); err == nil || !strings.HasPrefix(err.Error(), `b:1: "hello" begins like neither`) {
		t.Errorf("of two files: %v", err)
	}
}
