package history

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// FuzzRead: no file crashes the reader, its errors name a line, and what it has
// read is written and read again as the same.
func FuzzRead(f *testing.F) {
	f.Add(op("a", "acquire", 1, 5) + op("b", "acquire", 5, 5) + `{"annotation":"<b>","from":2}`)
	f.Add(`{"id":1,"client":"a","object":"o","op":"acquire","call":1,"outcome":"unknown"}` + "\n" +
		`{"id":1,"client":"a","object":"o","op":"acquire","call":1,"return":3,"outcome":"ok","until":9,"queuedFrom":2,"queued":2,"token":5}` + "\n" +
		`{"id":2,"of":1,"client":"a","object":"o","op":"release","call":4,"return":5,"outcome":"ok"}`)
	f.Add("[{:type :invoke, :f :acquire, :process 1}\n{:type :ok, :f :acquire, :process 1, :value {:fence 3}}]")
	f.Add("{:type :info, :f :kill, :process :nemesis, :value #{1 \\a}}")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := jepsen(model.KindFenced, text)
		var wrong *LineError
		if err != nil && (!errors.As(err, &wrong) || wrong.Line < 1) {
			t.Fatalf("%q: the error %q names no line", text, err)
		}
		if err != nil || formatByHead([]byte(text)) == EDN {
			return
		}
		again, err := read(written(t, h))
		if err != nil && instantTwice(h) {
			return
		}
		if err != nil {
			t.Fatalf("what was read from %q cannot be read again: %v", text, err)
		}
		for i := range h.Calls {
			if h.Calls[i] != again.Calls[i] {
				t.Fatalf("call %d of %q:\n%+v, and again\n%+v", i+1, text, h.Calls[i], again.Calls[i])
			}
		}
	})
}

// instantTwice reports whether two calls of one thread are under way at once. They began and
// ended at one stamp, and no numbers say all that is known of such calls: that one came before
// the other, and that calls of others at that stamp may have been before or after either.
func instantTwice(h *History) bool {
	for i, a := range h.Calls {
		for _, b := range h.Calls[:i] {
			if a.Client == b.Client && a.Thread == b.Thread && a.Call < b.Return {
				return true
			}
		}
	}
	return false
}

// written is the history as NDJSON.
func written(t interface{ Fatal(args ...any) }, h *History) string {
	var b bytes.Buffer
	w := NewWriter(&b)
	for i := range h.Calls {
		if err := w.Write(h.Calls[i]); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range h.Annotations {
		if err := w.Annotate(a); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// BenchmarkRead reads histories of several lengths: time and memory for an
// operation do not depend on the length.
func BenchmarkRead(b *testing.B) {
	for _, n := range []int64{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var text strings.Builder
			for i := range n {
				text.WriteString(op("c", "acquire", 2*i+1, 2*i+2))
			}
			b.ReportAllocs()
			for b.Loop() {
				if h, err := read(text.String()); err != nil || len(h.Calls) != int(n) {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(int64(b.N)*n), "ns/operation")
		})
	}
}
