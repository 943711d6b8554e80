package traces_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// prolonged is a run with so many events more at its end, whose property is violated from
// one event to another.
func prolonged(more int, from, to int64) *traces.Trace {
	t := sampletraces.GCPause()
	end := t.History.End
	for i := range more {
		t.Events = append(t.Events, sim.Event{Seq: end.Seq + 1 + int64(i), At: end.At, Kind: sim.EventDeliver, Actor: "c1", Peer: "redis1", Conn: 1, Payload: []byte("+PONG\r\n")})
	}
	end.Seq += int64(more)
	t.History.End = end
	t.Verdict().From, t.Verdict().To = model.Stamp{Seq: from, At: end.At}, model.Stamp{Seq: to, At: end.At}
	return t
}

// TestBounded: a trace of a very long run has the events around both ends of the violation
// and those that it names, says what it leaves out, and is read as it was written.
func TestBounded(t *testing.T) {
	slowtest.SkipIfShort(t)
	const more = 3 * traces.MaxEvents
	for _, c := range []struct {
		name     string
		from, to int64
		gaps     int
	}{
		{"at one event", more / 2, more / 2, 2},
		{"near the end", more - 10, more, 1},
		{"over most of the run", 1000, more - 1000, 1},
		{"at the beginning", 1, 20, 1},
	} {
		whole := prolonged(more, c.from, c.to)
		short := whole.Bounded()
		if n := len(short.Events); n > traces.MaxEvents || n < traces.MaxEvents*9/10 {
			t.Errorf("%s: %d events", c.name, n)
		}
		for _, seq := range []int64{c.from, c.to, max(1, c.from-100), min(c.to+100, whole.LastSeq()), whole.Verdict().Observations[0]} {
			if short.Event(seq) == nil {
				t.Errorf("%s: there is no event %d", c.name, seq)
			}
		}
		missing := 0
		for _, g := range short.Gaps {
			missing += int(g.To - g.From + 1)
		}
		if missing+len(short.Events) != len(whole.Events) || short.LastSeq() != whole.LastSeq() || len(short.Gaps) < c.gaps {
			t.Errorf("%s: %d events and %d left out, of %d: %v", c.name, len(short.Events), missing, len(whole.Events), short.Gaps)
		}
		if !reflect.DeepEqual(short.Tape, whole.Tape) || !reflect.DeepEqual(short.History, whole.History) || whole.Gaps != nil {
			t.Errorf("%s: more than events was cut", c.name)
		}
		written := encode(t, whole)
		got, err := traces.Decode(bytes.NewReader(written))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if !bytes.Equal(encode(t, short), written) || !bytes.Equal(encode(t, got), written) || !reflect.DeepEqual(got.Gaps, short.Gaps) {
			t.Errorf("%s: what is left out differs when it is written again", c.name)
		}
		if short.Bounded() != short {
			t.Errorf("%s: it is cut again", c.name)
		}
	}
	whole := prolonged(100, 3, 20)
	if whole.Bounded() != whole || whole.LeftOut() != "" {
		t.Error("a short run is cut")
	}
}

// TestBoundedKeepsTheVerdict: however many deviations there are, the events that the verdict
// names are kept.
func TestBoundedKeepsTheVerdict(t *testing.T) {
	const more = 3 * traces.MaxEvents
	whole := prolonged(more, more-10, more)
	whole.Attribution = &traces.Attribution{}
	for i := range 2000 {
		whole.Attribution.Deviations = append(whole.Attribution.Deviations, traces.Deviation{Decision: "x", Option: 1, Seq: int64(1000 + i), Text: "x"})
	}
	short := whole.Bounded()
	if n := len(short.Events); n > traces.MaxEvents {
		t.Errorf("%d events", n)
	}
	named := slices.Clone(whole.Verdict().Observations)
	for _, id := range whole.Verdict().Operations {
		o := whole.History.Operation(id)
		named = append(named, o.Call.Seq, o.Return.Seq)
	}
	if len(named) < 3 || named[0] > 1000 {
		t.Fatalf("the verdict names events %v", named)
	}
	for _, seq := range named {
		if short.Event(seq) == nil {
			t.Errorf("there is no event %d, which the verdict names", seq)
		}
	}
	if short.Event(1000) == nil {
		t.Error("no deviation has its event")
	}
}

// TestLeftOutIsSaid: every form for people says what a trace leaves out.
func TestLeftOutIsSaid(t *testing.T) {
	whole := prolonged(2*traces.MaxEvents, 20_000, 20_000)
	short := whole.Bounded()
	want := short.LeftOut()
	const exact = "The trace leaves out 21,120 of 40,126 events: 1 to 9, 11 to 13, 15, and 5 stretches more up to 40,126. Its decisions and its history are whole."
	if want != exact {
		t.Errorf("it says %q, want %q", want, exact)
	}
	for _, f := range render.Formats() {
		if !slices.Contains([]string{"html", "markdown", "json"}, f.Name) {
			continue
		}
		var page bytes.Buffer
		if err := f.Write(&page, short, "simrun replay x"); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(page.String(), want[:30]) {
			t.Errorf("%s does not say it", f.Name)
		}
	}
	var text bytes.Buffer
	if err := render.Explain(&text, short, render.Style{}); err != nil || !strings.Contains(strings.Join(strings.Fields(text.String()), " "), want) {
		t.Errorf("the explanation does not say it: %v\n%s", err, &text)
	}
}

// TestGapsRefused: gaps that are no part of the run, or that the trace has events of, are
// refused.
func TestGapsRefused(t *testing.T) {
	for words, gaps := range map[string][]traces.Gap{
		"gaps[0]: events 0 to 1 are not in the run":     {{From: 0, To: 1}},
		"gaps[0]: events 9 to 8 are not in the run":     {{From: 9, To: 8}},
		"gaps[0]: events 1 to 99999 are not in the run": {{From: 1, To: 99_999}},
		"gaps[1]: events 5 to 6 are not in the run":     {{From: 5, To: 5}, {From: 5, To: 6}},
		"gaps[0]: the trace has events from 7 ":         {{From: 7, To: 8}},
	} {
		trace := sampletraces.Calm()
		if strings.HasPrefix(words, "gaps[1]") {
			trace.Events = slices.Delete(trace.Events, 4, 6)
		}
		trace.Gaps = gaps
		refuse(t, string(encode(t, trace)), words, "damaged or edited")
	}
}

// TestLongFilesAreCompressed: a long trace takes a small file under the same name, has the
// same bytes each time, and is read like any other.
func TestLongFilesAreCompressed(t *testing.T) {
	dir := t.TempDir()
	long := prolonged(traces.MaxEvents-1000, 3, 20)
	text := encode(t, long)
	var files [2][]byte
	for i := range files {
		path := filepath.Join(dir, "long.json")
		if err := traces.WriteFile(path, long); err != nil {
			t.Fatal(err)
		}
		got, err := traces.ReadFile(path)
		if err != nil || !bytes.Equal(encode(t, got), text) {
			t.Fatalf("read another trace than was written: %v", err)
		}
		if files[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) || len(files[0])*5 > len(text) || len(text) < 1<<20 {
		t.Errorf("%d bytes of text became %d, and then %d", len(text), len(files[0]), len(files[1]))
	}
	if err := traces.WriteFileWithin(filepath.Join(dir, "x.json"), long, len(text)-1); err == nil {
		t.Error("the limit is that of what is compressed")
	}
	short := filepath.Join(dir, "short.json")
	if err := traces.WriteFile(short, sampletraces.Calm()); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(short); err != nil || data[0] != '{' {
		t.Errorf("a short trace is no text: %v", err)
	}
}

// TestBombIsRefused: a small file that decompresses to more than a trace may have is
// refused, with the limit.
func TestBombIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("decompresses 64 MiB")
	}
	refuse(t, string(compressed(t, bytes.Repeat([]byte(" "), traces.MaxSize+1))), "trace: decompresses to more than 64 MiB, the most that a trace may have")
}
