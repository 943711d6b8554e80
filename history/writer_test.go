package history

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// TestWriterRefuses: what could not be read again is not written.
func TestWriterRefuses(t *testing.T) {
	good := model.Call{ID: 1, Client: "c", Object: "o", Op: model.Acquire, Call: 3, Return: 4, Outcome: model.OK}
	for _, test := range []struct {
		name string
		set  func(*model.Call)
		says string
	}{
		{"no client", func(c *model.Call) { c.Client = "" }, "field client is empty"},
		{"no object", func(c *model.Call) { c.Object = "" }, "field object is empty"},
		{"no outcome", func(c *model.Call) { c.Outcome = "" }, "want ok, failed or unknown"},
		{"never called", func(c *model.Call) { c.Call = 0 }, "want positive stamps"},
		{"returned too early", func(c *model.Call) { c.Return = 2 }, "before it was called"},
		{"ok without a return", func(c *model.Call) { c.Return = 0 }, "without a field return"},
		{"a negative id", func(c *model.Call) { c.ID = -1 }, "want positive stamps and ids"},
		{"a negative thread", func(c *model.Call) { c.Thread = -1 }, "no negative thread"},
		{"a negative until", func(c *model.Call) { c.Until = -1 }, "want positive stamps"},
		{"a long name", func(c *model.Call) { c.Client = strings.Repeat("c", MaxLine) }, "want at most 65536"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b bytes.Buffer
			c := good
			test.set(&c)
			if err := NewWriter(&b).Write(c); err == nil || !strings.Contains(err.Error(), test.says) || b.Len() != 0 {
				t.Errorf("got %v, want it to say %q; written %q", err, test.says, &b)
			}
		})
	}
	for _, a := range []Annotation{{Text: "x"}, {Text: "x", From: 3, To: 2}} {
		if err := NewWriter(io.Discard).Annotate(a); err == nil {
			t.Errorf("%+v is written", a)
		}
	}
}

// BenchmarkRecorder is what recording adds to an operation.
func BenchmarkRecorder(b *testing.B) {
	r := NewRecorder(io.Discard)
	b.ReportAllocs()
	for b.Loop() {
		r.Call(model.Call{Client: "c1", Object: "orders", Op: model.Acquire}).Return(model.OK)
	}
	if err := r.Err(); err != nil {
		b.Fatal(err)
	}
}
