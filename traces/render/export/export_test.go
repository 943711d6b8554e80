package export

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// What goes into issues is kept; tools/mermaid reads the diagrams with Mermaid's parser.
func TestExportGolden(t *testing.T) {
	for _, sample := range sampletraces.Samples {
		golden.File(t, "../testdata/"+sample.Name+".mmd", export(t, "mermaid", sample.Make()))
	}
	golden.File(t, "../testdata/"+"gc-pause.md", export(t, "markdown", sampletraces.Samples[0].Make()))
	golden.File(t, "../testdata/"+"gc-pause.explanation.json", export(t, "json", sampletraces.Samples[0].Make()))
}

// foul is a trace whose names and texts mean something in every format.
func foul() *traces.Trace {
	trace := sampletraces.Samples[0].Make()
	const name = "c1; end\n#<b>|`*{\"x\":1}"
	for i := range trace.Actors {
		if trace.Actors[i].Name == "c1" {
			trace.Actors[i].Name = name
		}
	}
	for i := range trace.Events {
		e := &trace.Events[i]
		if e.Actor == "c1" {
			e.Actor = name
		}
		if e.Peer == "c1" {
			e.Peer = name
		}
		e.Detail += "\n```\n| --- |\x1b[31m"
	}
	for i := range trace.History.Operations {
		if o := &trace.History.Operations[i]; o.Client == "c1" {
			o.Client = name
		}
	}
	return trace
}

// eachTrace calls f for all samples and for a hostile trace.
func eachTrace(t *testing.T, f func(t *testing.T, trace *traces.Trace)) {
	for _, sample := range sampletraces.Samples {
		t.Run(sample.Name, func(t *testing.T) { f(t, sample.Make()) })
	}
	t.Run("hostile", func(t *testing.T) { f(t, foul()) })
}

// The lines of a diagram are those that the grammar has, whatever the trace says.
func TestMermaidLines(t *testing.T) {
	line := regexp.MustCompile(`^    (participant a\d+ as [^#;<>&{}%]*|Note over a\d+: .*|a\d+(->>|-x)a\d+: .*|rect rgba\(214, 39, 40, 0\.15\)|end)$`)
	entity := regexp.MustCompile(`#\d+;`)
	eachTrace(t, func(t *testing.T, trace *traces.Trace) {
		lines := strings.Split(strings.TrimSuffix(export(t, "mermaid", trace), "\n"), "\n")
		if lines[0] != "sequenceDiagram" || len(lines) < 2 {
			t.Fatalf("the diagram begins with %q", lines[0])
		}
		for _, l := range lines[1:] {
			if plain := entity.ReplaceAllString(l, ""); !line.MatchString(plain) || strings.ContainsAny(plain, "#;<>&%{}") != strings.Contains(plain, "->>") {
				t.Errorf("a line is %q", l)
			}
		}
	})
}

// The Trace Event Format: slices of a track do not overlap in part, asynchronous spans and
// flows have two ends in their order, and every process has a name.
func TestPerfetto(t *testing.T) {
	eachTrace(t, func(t *testing.T, trace *traces.Trace) {
		var file struct {
			TraceEvents []struct {
				Name, Cat, Ph, ID, Bp, S string
				Ts, Dur                  float64
				Pid, Tid                 int
			}
		}
		if err := json.Unmarshal([]byte(export(t, "perfetto", trace)), &file); err != nil {
			t.Fatal(err)
		}
		type track struct{ pid, tid int }
		spans := map[track][][2]float64{}
		open := map[string]float64{}
		named := map[int]bool{}
		messages := 0
		for _, e := range file.TraceEvents {
			if e.Pid == 0 || e.Name == "" {
				t.Fatalf("an event has no process or no name: %+v", e)
			}
			id := e.Cat + e.Name + e.ID
			switch e.Ph {
			case "M":
				named[e.Pid] = true
			case "X":
				spans[track{e.Pid, e.Tid}] = append(spans[track{e.Pid, e.Tid}], [2]float64{e.Ts, e.Ts + e.Dur})
			case "b", "s":
				if _, twice := open[id]; twice || e.ID == "" {
					t.Errorf("%s begins twice, or has no id", id)
				}
				open[id] = e.Ts
			case "e", "f":
				begin, began := open[id]
				if !began || begin > e.Ts {
					t.Errorf("%s ends at %v; it began at %v (%t)", id, e.Ts, begin, began)
				}
				delete(open, id)
				if e.Ph == "f" {
					messages++
					if e.Bp != "e" {
						t.Error("a flow does not end in the slice that encloses its end")
					}
				}
			case "i":
				if e.S != "t" {
					t.Errorf("an instant has the scope %q", e.S)
				}
			default:
				t.Errorf("there is a phase %q", e.Ph)
			}
			if !named[e.Pid] {
				t.Errorf("process %d has no name before its first event", e.Pid)
			}
		}
		if len(open) > 0 {
			t.Errorf("%d spans or flows do not end", len(open))
		}
		for at, list := range spans {
			for i, a := range list {
				for _, b := range list[i+1:] {
					if a[0] < b[0] && b[0] < a[1] && a[1] < b[1] || b[0] < a[0] && a[0] < b[1] && b[1] < a[1] {
						t.Errorf("slices of %v overlap: %v and %v", at, a, b)
					}
				}
			}
		}
		want := 0
		for _, e := range trace.Events {
			if e.Kind == sim.EventDeliver || e.Kind == sim.EventDrop {
				want++
			}
		}
		if messages != want {
			t.Errorf("there are %d messages, want %d", messages, want)
		}
	})
}

// ShiViz's own expression reads the whole log, each host counts its own events, and what
// arrives knows what was known where it was sent.
func TestShiViz(t *testing.T) {
	// The default of https://bestchai.bitbucket.io/shiviz.
	entry := regexp.MustCompile(`(?m)^(?P<host>\S*) (?P<clock>{.*})\n(?P<event>.*)\n`)
	eachTrace(t, func(t *testing.T, trace *traces.Trace) {
		log := export(t, "shiviz", trace)
		all := entry.FindAllStringSubmatch(log, -1)
		read := ""
		seen := map[string]int{}
		for _, m := range all {
			read += m[0]
			clock := map[string]int{}
			if err := json.Unmarshal([]byte(m[2]), &clock); err != nil {
				t.Fatalf("a clock is %s: %v", m[2], err)
			}
			seen[m[1]]++
			if clock[m[1]] != seen[m[1]] {
				t.Errorf("event %d of %s has the clock %s", seen[m[1]], m[1], m[2])
			}
			for host, n := range clock {
				if n > seen[host] {
					t.Errorf("%s knows of event %d of %s, which has had %d", m[1], n, host, seen[host])
				}
			}
		}
		if read != log {
			t.Error("ShiViz's expression does not read the whole log")
		}
		if len(all) < len(trace.Events) {
			t.Errorf("the log has %d entries for %d events", len(all), len(trace.Events))
		}
	})
}

// Actors whose names differ in spaces alone are two hosts, and what is lost teaches nothing.
func TestShiVizHosts(t *testing.T) {
	at := func(seq int64) sim.Event { return sim.Event{Seq: seq, At: time.Duration(seq) * time.Second} }
	sent, lost := at(1), at(3)
	sent.Kind, sent.Actor = sim.EventMark, "a b"
	lost.Kind, lost.Actor, lost.Peer, lost.Sent = sim.EventDrop, "a_b", "a b", 2*time.Second
	log := export(t, "shiviz", &traces.Trace{Schema: traces.Schema, Events: []sim.Event{sent, lost}})
	for _, want := range []string{`a_b {"a_b":1}`, `a_b {"a_b":2}`, `a_b_2 {"a_b_2":1}`} {
		if strings.Count(log, want+"\n") != 1 {
			t.Errorf("there is no line %s:\n%s", want, log)
		}
	}
}

// A section of a page has a heading of its own level, and is otherwise as the page.
func TestMarkdownLevel(t *testing.T) {
	var section bytes.Buffer
	tr := sampletraces.Samples[0].Make()
	if err := Markdown(&section, tr, "simrun replay x.json", 3); err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := Markdown(&page, tr, "simrun replay x.json", 1); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(page.String(), "# ") || section.String() != "##"+page.String() {
		t.Errorf("it begins with %.40q, the page with %.40q", &section, &page)
	}
}

// TestMarkdownFences: a trace brings no blocks of code.
func TestMarkdownFences(t *testing.T) {
	if page := export(t, "markdown", foul()); strings.Count(page, "```") != 4 {
		t.Errorf("the page has other fences than the diagram's and the command's:\n%s", page)
	}
}

func export(t *testing.T, format string, trace *traces.Trace) string {
	t.Helper()
	write := map[string]func(*bytes.Buffer, *traces.Trace, string) error{
		"mermaid": Mermaid, "perfetto": Perfetto, "shiviz": ShiViz, "json": JSON,
		"markdown": func(out *bytes.Buffer, t *traces.Trace, replay string) error { return Markdown(out, t, replay, 1) },
	}[format]
	var out bytes.Buffer
	if err := write(&out, trace, "simrun replay x.json"); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
