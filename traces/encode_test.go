package traces_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

func encode(t testing.TB, trace *traces.Trace) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := traces.Encode(&out, trace); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestEncodeDecodeRoundTrip(t *testing.T) {
	for _, sample := range sampletraces.Samples {
		want := sample.Make()
		data := encode(t, want)
		got, err := traces.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", sample.Name, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: decoded trace differs", sample.Name)
		}
		if again := encode(t, got); !bytes.Equal(again, data) {
			t.Errorf("%s: the second encoding differs", sample.Name)
		}
		if other := encode(t, sample.Make()); !bytes.Equal(other, data) {
			t.Errorf("%s: equal traces are encoded differently", sample.Name)
		}
	}
}

// TestAuthorities: an authority is written by its name, also if it is the node itself.
func TestAuthorities(t *testing.T) {
	want := sampletraces.Calm()
	at := want.History.End
	for _, authority := range []string{"", "redis1", "zk"} {
		want.History.Observations = append(want.History.Observations, model.Observation{Stamp: at, Node: "redis1", Kind: model.RecordDropped, Authority: authority, Key: authority})
	}
	data := encode(t, want)
	for _, line := range []string{
		`"node":"redis1","kind":"dropped"}`, `"node":"redis1","kind":"dropped","authority":"redis1","key":"redis1"}`, `"node":"redis1","kind":"dropped","authority":"zk","key":"zk"}`,
	} {
		if !bytes.Contains(data, []byte(line)) {
			t.Errorf("nothing says %s", line)
		}
	}
	got, err := traces.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read as\n%+v, want\n%+v", got.History.Observations, want.History.Observations)
	}
}

func TestEncodeGolden(t *testing.T) {
	golden.File(t, "testdata/calm.trace", string(encode(t, sampletraces.Calm())))
}

// The layout is what diff and grep work on: an element of a list is a line.
func TestEncodeOneElementALine(t *testing.T) {
	trace := sampletraces.GCPause()
	lines := strings.Split(string(encode(t, trace)), "\n")
	events := 0
	for _, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), `{"seq":`) && strings.Contains(line, `"kind":`) && strings.Contains(line, `"actor":`) {
			events++
		}
	}
	if events != len(trace.Events) {
		t.Errorf("%d lines are events, want %d", events, len(trace.Events))
	}
	if n := len(lines); lines[n-1] != "" || lines[n-2] != "}" {
		t.Errorf("the file ends in %q", lines[n-2:])
	}
}

func TestEncodeKeepsStrangeText(t *testing.T) {
	trace := sampletraces.Calm()
	trace.Events[0].Detail = `a "quoted" {brace}, [bracket]: \ </script> ` + "\x00\x1b\u2028"
	got, err := traces.Decode(bytes.NewReader(encode(t, trace)))
	if err != nil {
		t.Fatal(err)
	}
	if got.Events[0].Detail != trace.Events[0].Detail {
		t.Errorf("got %q", got.Events[0].Detail)
	}
	trace.Events[0].Detail = "not UTF-8: \xff"
	if got, err = traces.Decode(bytes.NewReader(encode(t, trace))); err != nil || got.Events[0].Detail != "not UTF-8: \uFFFD" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestEncodeEmptyLists(t *testing.T) {
	trace := &traces.Trace{Scenario: "s", Lock: "l", Store: "s", Shrunk: new(traces.Shrunk), Attribution: new(traces.Attribution)}
	data := encode(t, trace)
	if trace.Shrunk.Parameters != nil || trace.Attribution.Remedies != nil {
		t.Error("writing changes the trace")
	}
	if bytes.Contains(data, []byte("null")) {
		t.Errorf("an absent list is written as null:\n%s", data)
	}
	if _, err := traces.Decode(bytes.NewReader(data)); err != nil {
		t.Error(err)
	}
}

func TestEncodeOtherSchema(t *testing.T) {
	if err := traces.Encode(new(bytes.Buffer), &traces.Trace{Schema: traces.Schema + 1}); err == nil {
		t.Error("wrote a schema that it does not know")
	}
}
