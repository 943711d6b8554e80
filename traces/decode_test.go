package traces_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
	"github.com/lockpick-dev/lockpick/traces/story"
)

const (
	us = time.Microsecond
	ms = time.Millisecond
)

// refuse checks that data is refused with all of the words.
func refuse(t *testing.T, data string, words ...string) {
	t.Helper()
	trace, err := traces.Decode(strings.NewReader(data))
	if err == nil {
		t.Fatalf("accepted %.80q", data)
	}
	if trace != nil {
		t.Error("an error comes with a trace")
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error %q does not say %q", err, word)
		}
	}
}

func TestDecodeRefusesWhatIsNoTrace(t *testing.T) {
	whole := string(encode(t, sampletraces.Calm()))
	remarked := func(list string) string {
		return strings.Replace(whole, `"history":`, `"remarks": [`+list+`], "history":`, 1)
	}
	if _, err := traces.Decode(strings.NewReader(remarked(`{"seq":1,"code":"a.go:1"},{"seq":2,"code":"a.go:1"},{"seq":2,"line":"x","atNanos":3,"actor":"c1"},{"seq":3,"unkept":4}`))); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		data  string
		words []string
	}{
		"empty":           {"", []string{"empty"}},
		"blank":           {" \n\t", []string{"empty"}},
		"text":            {"hello\n", []string{"line 1", "not JSON"}},
		"no object":       {"[1, 2]", []string{"array"}},
		"no schema":       {`{"scenario": "x"}`, []string{"not a trace", "no schema"}},
		"newer":           {`{"schema": 7, "unheardOf": {}}`, []string{"written by a newer simrun (schema 7; this one reads up to 3): update"}},
		"older":           {`{"schema": 1, "seed": "one"}`, []string{"schema 1, which Lockpick 0.1.0 reads; this simrun reads 2 to 3"}},
		"none":            {`{"schema": 0}`, []string{"schema 0 does not exist"}},
		"no store":        {strings.Replace(whole, `"store": "redis"`, `"store": ""`, 1), []string{"store: is missing"}},
		"a bad term":      {strings.Replace(whole, `"record": "key"`, `"record": "\u0007"`, 1), []string{"terms.record"}},
		"a bad version":   {strings.Replace(whole, `"go": "go1.26.8"`, `"go": "`+strings.Repeat("9", 61)+`"`, 1), []string{"made: "}},
		"schema in words": {`{"schema": "one"}`, []string{"schema", "string"}},
		"unknown field":   {strings.Replace(whole, `"lock": "setpx-fenced"`, `"lock": "setpx-fenced", "colour": 3`, 1), []string{`no field "colour"`, "line 13"}},
		"another case":    {strings.Replace(whole, `"lock": "`, `"Lock": "`, 1), []string{`no field "Lock"`, "line 13, column 2"}},
		"twice":           {strings.Replace(whole, `"lock": "`, `"lock": "setpx", "lock": "`, 1), []string{`"lock" is given twice`, "line 13, column 19"}},
		"twice inside":    {strings.Replace(whole, `{"seq":1,`, `{"seq":1,"seq":2,`, 1), []string{`"seq" is given twice`}},
		"not UTF-8":       {strings.Replace(whole, `"lock": "`, "\"lock\": \"\xff", 1), []string{"a byte that is not UTF-8", "line 13, column 11"}},
		"half a pair":     {strings.Replace(whole, `"lock": "`, `"lock": "\ud800`, 1), []string{"half of a surrogate pair", "line 13, column 11"}},
		"wrong type":      {strings.Replace(whole, `"seed": 42`, `"seed": "42"`, 1), []string{"seed", "string", "line 22"}},
		"negative seed":   {strings.Replace(whole, `"seed": 42`, `"seed": -1`, 1), []string{"seed"}},
		"no NaN":          {strings.Replace(whole, `"seed": 42`, `"seed": NaN`, 1), []string{"not JSON"}},
		"no fractions":    {strings.Replace(whole, `"schedule": 17`, `"schedule": 1.5`, 1), []string{"schedule"}},
		"trouble unsaid":  {strings.Replace(whole, `"seed": 42`, `"seed": 42, "trouble": {"kind": "crashed"}`, 1), []string{"trouble", "reason"}},
		"no such event":   {remarked(`{"seq":9999,"code":"a.go:1"}`), []string{"remarks[0]", "event 9999"}},
		"remarks awry":    {remarked(`{"seq":2,"code":"a.go:1"},{"seq":1,"code":"a.go:1"}`), []string{"remarks[1]", "before event 2"}},
		"says nothing":    {remarked(`{"seq":2}`), []string{"remarks[0]", "has 0 of code, line and unkept"}},
		"says two things": {remarked(`{"seq":2,"code":"a.go:1","unkept":3}`), []string{"remarks[0]", "has 2 of code, line and unkept"}},
		"long line":       {remarked(`{"seq":2,"line":"` + strings.Repeat("a", 504) + `"}`), []string{"remarks[0].line", "504 bytes"}},
		"many lines":      {remarked(`{"seq":2,"line":"a"}` + strings.Repeat(`,{"seq":2,"line":"a"}`, 1000)), []string{"remarks[1000].line", "at most 1000"}},
		"nothing printed": {remarked(`{"seq":2,"code":"a","actor":"c1"}`), []string{"remarks[0]", "nothing was printed"}},
		"printed by none": {remarked(`{"seq":2,"line":"a","actor":"<c1>"}`), []string{"remarks[0].actor"}},
		"long code":       {remarked(`{"seq":2,"code":"` + strings.Repeat("a", 401) + `"}`), []string{"remarks[0].code", "401 bytes"}},
		"second trace":    {whole + whole, []string{"something follows"}},
		"garbage":         {whole + "x", []string{"something follows"}},
		"deep":            {strings.Repeat("[", 100), []string{"nested more than 16 deep"}},
		"list of nothing": {`{"schema": 2, "events": [` + strings.Repeat("0,", traces.MaxEntries+1) + `0]}`, []string{"more than 1048576 entries"}},
	} {
		t.Run(name, func(t *testing.T) { refuse(t, c.data, c.words...) })
	}
}

func TestDecodeTruncated(t *testing.T) {
	whole := encode(t, sampletraces.Calm())
	for n := 1; n < len(whole)-2; n += 97 {
		if _, err := traces.Decode(bytes.NewReader(whole[:n])); err == nil || !strings.Contains(err.Error(), "truncated") {
			t.Fatalf("after %d of %d bytes: %v", n, len(whole), err)
		}
	}
}

// endless is a file without end.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	e.read += len(p)
	return len(p), nil
}

func TestDecodeStopsAtMaxSize(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 64 MiB")
	}
	var file endless
	if _, err := traces.Decode(&file); err == nil || !strings.Contains(err.Error(), "longer than 64 MiB") {
		t.Errorf("got %v", err)
	}
	if file.read > 2*traces.MaxSize {
		t.Errorf("read %d bytes", file.read)
	}
}

func TestDecodeReportsReadErrors(t *testing.T) {
	if _, err := traces.Decode(io.MultiReader(strings.NewReader("{"), broken{})); err == nil || !strings.Contains(err.Error(), "disk on fire") {
		t.Errorf("got %v", err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, fmt.Errorf("disk on fire") }

// Each change makes a sound trace contradict itself.
func TestDecodeRefusesContradictions(t *testing.T) {
	const century = 101 * 365 * 24 * time.Hour
	for _, c := range []struct {
		words  string
		change func(*traces.Trace)
	}{
		{"scenario", func(t *traces.Trace) { t.Scenario = "" }},
		{"lock", func(t *traces.Trace) { t.Lock = "" }},
		{"experiment: from -1ns", func(t *traces.Trace) { t.Experiment = &traces.Experiment{From: -1} }},
		{"is no part of a run", func(t *traces.Trace) { t.Experiment = &traces.Experiment{Until: century} }},
		{"schedule: -1", func(t *traces.Trace) { t.Schedule = -1 }},
		{"hash", func(t *traces.Trace) { t.Hash = "xyz" }},
		{"parameters[1]", func(t *traces.Trace) { t.Parameters[1].Name = t.Parameters[0].Name }},
		{"history.ttlNanos", func(t *traces.Trace) { t.History.TTL = -1 }},
		{"history.end", func(t *traces.Trace) { t.History.End.Seq = 3 }},
		{"history.end", func(t *traces.Trace) { t.History.End.At = century }},
		{"actors[1]", func(t *traces.Trace) { t.Actors[1].Name = t.Actors[0].Name }},
		{"actors[0]: there is no kind", func(t *traces.Trace) { t.Actors[0].Kind = "daemon" }},
		{"at most 256", func(t *traces.Trace) { t.Actors = make([]traces.Actor, 257) }},
		{"tape[2]: occurrence -1", func(t *traces.Trace) { t.Tape[2].Occurrence = -1 }},
		{"takes option 3 of 3", func(t *traces.Trace) { t.Tape[2].Option = 3 }},
		{"has 1 options", func(t *traces.Trace) { t.Tape[2].Options = 1 }},
		{"shows in event 1, but was decided after event 7", func(t *traces.Trace) { t.Tape[2].After, t.Tape[2].Shows = 7, 1 }},
		{"the sides of the partition are missing", func(t *traces.Trace) { t.History.Observations[0].Kind = model.Parted }},
		{"decided twice", func(t *traces.Trace) { t.Tape[2] = t.Tape[1] }},
		{"tape[0]: the kind", func(t *traces.Trace) { t.Tape[0].Kind = "" }},
		{"events[1]: seq 1 does not follow 1", func(t *traces.Trace) { t.Events[1].Seq = 1 }},
		{"events[0]: seq 0", func(t *traces.Trace) { t.Events[0].Seq = 0 }},
		{"events[0]: at", func(t *traces.Trace) { t.Events[0].At = -1 }},
		{"events[3]: sent", func(t *traces.Trace) { t.Events[3].Sent = t.Events[3].At + 1 }},
		{"events[3]: connection", func(t *traces.Trace) { t.Events[3].Conn = -1 }},
		{"events[3]: the kind", func(t *traces.Trace) { t.Events[3].Kind = "" }},
		{"operations[1]: has id 1", func(t *traces.Trace) { t.History.Operations[1].ID = 1 }},
		{"operations[1]: is called", func(t *traces.Trace) { t.History.Operations[1].Call = t.History.Operations[0].Call }},
		{"there is no kind", func(t *traces.Trace) { t.History.Operations[1].Kind = "sing" }},
		{"there is no outcome", func(t *traces.Trace) { t.History.Operations[1].Result = "" }},
		{"belongs to no client", func(t *traces.Trace) { t.History.Operations[1].Client = "" }},
		{"belongs to acquisition 9", func(t *traces.Trace) { t.History.Operations[2].Acquisition = 9 }},
		{"its acquisition is 1 and not 2", func(t *traces.Trace) { t.History.Operations[0].Acquisition = 2 }},
		{"before it is called", func(t *traces.Trace) { t.History.Operations[1].Return = model.Stamp{Seq: 1, At: t.Events[0].At} }},
		{"never returns", func(t *traces.Trace) { t.History.Operations[1].Return = model.Stamp{} }},
		{"but it was at", func(t *traces.Trace) { t.History.Operations[1].Return.At++ }},
		{"there is no event 999", func(t *traces.Trace) { t.History.Operations[1].Return.Seq = 999 }},
		{"operations[0].lost", func(t *traces.Trace) { t.History.Operations[0].Lost.Seq = 999 }},
		{"untilNanos", func(t *traces.Trace) { t.History.Operations[0].Until = century }},
		{"observations[1]: event", func(t *traces.Trace) { t.History.Observations[1].Stamp = model.Stamp{Seq: 1, At: t.Events[0].At} }},
		{"observations[0]: the kind", func(t *traces.Trace) { t.History.Observations[0].Kind = "" }},
		{"there is no operation 99", func(t *traces.Trace) { t.History.Observations[0].By.Op = 99 }},
		{"makes no sense", func(t *traces.Trace) { t.History.Observations[0].For = -1 }},
		{"makes no sense", func(t *traces.Trace) { t.History.Observations[0].ExpiresAt = -century }},
		{"verdicts[1]: the property", func(t *traces.Trace) { t.Verdicts[1].Property = t.Verdicts[0].Property }},
		{"there is no status", func(t *traces.Trace) { t.Verdicts[1].Status = "maybe" }},
		{"there is no operation 99", func(t *traces.Trace) { t.Verdicts[1].Operations = []int{99} }},
		{"2 does not follow 2", func(t *traces.Trace) { t.Verdicts[1].Operations = []int{2, 2} }},
		{"nothing was observed at event 1", func(t *traces.Trace) { t.Verdicts[1].Observations = []int64{1} }},
		{"from: there is no event 999", func(t *traces.Trace) { t.Verdicts[1].From.Seq = 999 }},
		{"before its beginning", func(t *traces.Trace) { t.Verdicts[1].From = t.History.End; t.Verdicts[1].To.Seq = 1 }},
		{"not among the violated", func(t *traces.Trace) { t.Property = "mutual-exclusion" }},
		{"not among the violated", func(t *traces.Trace) { t.Property = "unheard-of" }},
		{"shrunk.from: -1 is negative", func(t *traces.Trace) { t.Shrunk.From = -1 }},
		{"shrunk.to: -2 is negative", func(t *traces.Trace) { t.Shrunk.To = -2 }},
		{"shrunk.runs: -3 is negative", func(t *traces.Trace) { t.Shrunk.Runs = -3 }},
		{"from 2 deviations to 3 is not smaller", func(t *traces.Trace) { t.Shrunk.From, t.Shrunk.To = 2, 3 }},
		{"shrunk.parameters[1]: the name", func(t *traces.Trace) { t.Shrunk.Parameters = []traces.Parameter{{Name: "a", Value: "1"}, {"a", "2"}} }},
		{"deviations[0]: names no decision", func(t *traces.Trace) { t.Attribution.Deviations[0].Decision = "" }},
		{"deviations[1]: option 0 of", func(t *traces.Trace) { t.Attribution.Deviations[1].Option = 0 }},
		{"deviations[1].seq: there is no event 9999", func(t *traces.Trace) { t.Attribution.Deviations[1].Seq = 9999 }},
		{"deviations[1].seq: there is no event -1", func(t *traces.Trace) { t.Attribution.Deviations[1].Seq = -1 }},
		{"deviations[0].text: is missing", func(t *traces.Trace) { t.Attribution.Deviations[0].Text = "" }},
		{"deviations[0].text: has 501 characters", func(t *traces.Trace) { t.Attribution.Deviations[0].Text = strings.Repeat("é", 501) }},
		{"attribution.deviations: there are 10001", func(t *traces.Trace) { t.Attribution.Deviations = make([]traces.Deviation, 10_001) }},
		{"attribution.remedies: there are 10001", func(t *traces.Trace) { t.Attribution.Remedies = make([]traces.Remedy, 10_001) }},
		{"remedies[0].schedules: -1 is negative", func(t *traces.Trace) { t.Attribution.Remedies[0].Schedules = -1 }},
		{"remedies[0].bound: -2 is no bound", func(t *traces.Trace) { t.Attribution.Remedies[0].Bound = -2 }},
		{"remedies[1].text: is missing", func(t *traces.Trace) { t.Attribution.Remedies[1].Text = "" }},
		{"remedies[1].text: has 600 characters", func(t *traces.Trace) { t.Attribution.Remedies[1].Text = strings.Repeat("x", 600) }},
	} {
		trace := sampletraces.Calm()
		trace.Shrunk = &traces.Shrunk{From: 3, To: 2, Runs: 9}
		trace.Attribution = sampletraces.Attributed().Attribution
		for i := range trace.Attribution.Deviations {
			trace.Attribution.Deviations[i].Seq = 0
		}
		c.change(trace)
		refuse(t, string(encode(t, trace)), c.words, "damaged or edited", "record the run again")
	}
}

// TestRefuseNotes: what a store shows of itself is complete.
func TestRefuseNotes(t *testing.T) {
	for _, c := range []struct {
		words  string
		change func(*model.Observation)
	}{
		{"a note belongs to the kind \"note\"", func(o *model.Observation) { o.Note = nil }},
		{"a note belongs to the kind \"note\"", func(o *model.Observation) { o.Kind = model.Crashed }},
		{"the note has no event", func(o *model.Observation) { o.Note.Event = "" }},
		{"the note's subject is missing", func(o *model.Observation) { o.Note.Phase, o.Note.Subject = model.PhaseEnds, "" }},
		{"the record that the note's subject waits for is missing", func(o *model.Observation) { o.Note.Place, o.Note.Record = model.PlaceRecord, "" }},
		{"epoch -1 is negative", func(o *model.Observation) { o.Epoch = -1 }},
	} {
		trace := sampletraces.DoubleGrant()
		i := slices.IndexFunc(trace.History.Observations, func(o model.Observation) bool { return o.Note != nil })
		c.change(&trace.History.Observations[i])
		refuse(t, string(encode(t, trace)), fmt.Sprintf("history.observations[%d]: ", i)+c.words, "damaged or edited")
	}
	trace := sampletraces.DoubleGrant()
	trace.Terms.Session = "a\nb"
	refuse(t, string(encode(t, trace)), "terms.session: ")
}

// TestUnknownObservations: an observation of a kind that a reader does not know is ignored.
func TestUnknownObservations(t *testing.T) {
	shown := func(trace *traces.Trace) string {
		got, err := traces.Decode(bytes.NewReader(encode(t, trace)))
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := render.Explain(&text, got, render.Style{}); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	trace := sampletraces.Calm()
	want := shown(trace)
	o := trace.History.Observations[0]
	o.Kind = "moonrise"
	trace.History.Observations = slices.Insert(trace.History.Observations, 0, o)
	if got := shown(trace); got != want {
		t.Errorf("told as\n%s\nwant\n%s", got, want)
	}
}

// TestActorsTerms: the terms of a node's store are checked like those of the trace.
func TestActorsTerms(t *testing.T) {
	trace := sampletraces.DoubleGrant()
	terms := trace.Terms.Usual()
	trace.Actors[0].Store, trace.Actors[0].Terms = "mysql", &terms
	if got, err := traces.Decode(strings.NewReader(string(encode(t, trace)))); err != nil || *got.Actors[0].Terms != terms || got.Actors[0].Store != "mysql" {
		t.Fatalf("%+v, %v", got, err)
	}
	terms.Record = "\a"
	refuse(t, string(encode(t, trace)), "actors[0].terms.record: ")
	trace.Actors[0].Terms, trace.Actors[0].Store = nil, strings.Repeat("x", 61)
	refuse(t, string(encode(t, trace)), "actors[0]: the store ")
}

// tiny is a trace with a bit of everything: long inputs make slow fuzzing.
func tiny() *traces.Trace {
	s := sampletraces.NewStage("s", "l", 1)
	a := s.Call(us, "c1", model.Acquire, nil)
	_, back := s.Grant(2*us, a, 1, "redis1", "redis2", "v")
	a.Leased, a.Until, a.Fenced, a.Token = true, 3*ms, true, 1
	s.Answer(back+us, a, model.OK)
	s.See(back+2*us, model.Observation{Node: "c1", Kind: model.Paused, For: ms})
	s.See(2*ms, model.Observation{Node: "redis1", Kind: model.Crashed})
	s.See(3*ms, model.Observation{Node: "c1", Kind: model.Resumed})
	s.See(4*ms, model.Observation{Node: "redis2", Kind: model.Promoted})
	owner := model.Origin{Client: "c1", Conn: 1, Op: 1}
	session := model.Note{Event: "opened", Subject: "x", Place: model.PlaceLane, Phase: model.PhaseBegins, Noun: "session", Label: "{owner}'s", Line: "heard by {at}"}
	s.See(4*ms, model.Observation{Node: "redis2", Kind: model.Noted, Owner: owner, ExpiresAt: 6 * ms, Note: &session})
	s.See(4*ms, model.Observation{Node: "redis2", Kind: model.Noted, Owner: owner, Note: &model.Note{
		Event: "told", Subject: "lock", Place: model.PlaceStrip, Mark: model.MarkBell, Refs: []string{"lock"}, Record: "lock", Text: "{node} tells {owner} of {record}",
	}})
	s.See(5*ms, model.Observation{Node: "redis1", Kind: model.Noted, Owner: owner, Note: &model.Note{
		Event: "ended", Subject: "x", Place: model.PlaceLane, Phase: model.PhaseEnds, Bad: true, State: "has ended", Text: "{node}: it ends",
	}})
	s.Access(5*ms, a, 2, model.Write, 1)
	s.Send(6*ms, "c1", "redis2", 3, sampletraces.Command("del", "lock"), ms, true)
	t := s.Build()
	t.Property = "overrun"
	t.Verdicts = []model.Verdict{{Property: "overrun", Status: model.Violated, Operations: []int{1}, From: sampletraces.Writes(t)[0]}}
	t.Strategy, t.Shrunk = "pct", &traces.Shrunk{From: 2, To: 1, Runs: 3, Exhausted: true}
	t.Attribution = &traces.Attribution{
		Deviations: []traces.Deviation{{Decision: "delay/c1#0", Option: 1, Seq: 3, Text: "late", Needed: true}, {Decision: "order/world#0", Option: 1, Text: "first"}},
		Remedies:   []traces.Remedy{{Text: "a", Gone: true, Schedules: 1, Bound: 0}, {Text: "b", Bound: -1, Trouble: "stalled"}},
	}
	return t
}

// compressed is a text as gzip compresses it.
func compressed(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// gapped is a trace that leaves events out.
func gapped() *traces.Trace {
	t := tiny()
	t.Gaps = []traces.Gap{{From: t.Events[2].Seq, To: t.Events[3].Seq}}
	t.Events = slices.Delete(t.Events, 2, 4)
	return t
}

// TestDecodeCompressed: a compressed trace is read like its text, and one that is damaged,
// truncated or followed by something is refused.
func TestDecodeCompressed(t *testing.T) {
	text := encode(t, tiny())
	whole := compressed(t, text)
	got, err := traces.Decode(bytes.NewReader(whole))
	if err != nil || !bytes.Equal(encode(t, got), text) {
		t.Fatalf("read another trace than was compressed: %v", err)
	}
	for n := 2; n < len(whole); n += 7 {
		refuse(t, string(whole[:n]), "trace: truncated: the compressed file ends early")
	}
	refuse(t, string(whole)+string(whole), "trace: something follows the end")
	refuse(t, string(compressed(t, nil)), "empty")
	refuse(t, "\x1f\x8bhello, world", "trace: the compressed file is damaged")
}

// filled is a trace in which lists without elements are none: a file has both as the same.
func filled(t *traces.Trace) *traces.Trace {
	full := *t
	empty(reflect.ValueOf(&full).Elem())
	return &full
}

func empty(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			empty(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				empty(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Len() == 0 {
			v.SetZero()
		}
		for i := range v.Len() {
			empty(v.Index(i))
		}
	case reflect.Map:
		if v.Len() == 0 {
			v.SetZero()
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(f, tiny()))
	f.Add(compressed(f, encode(f, tiny())))
	f.Add(encode(f, gapped()))
	f.Add(encode(f, sampletraces.Confirmed()))
	f.Add(encode(f, sampletraces.Real()))
	f.Add([]byte(`{"schema":2,"scenario":"s","lock":"l","store":"s","terms":{"store":"s","node":"n","serving":"p","follower":"f","record":"r"}}`))
	f.Add([]byte(`{"schema":2,"scenario":"s","lock":"l","store":"s","terms":{"store":"s","node":"n","serving":"p","follower":"f","record":"r"},"actors":[{"name":"a","kind":"client"}],"history":{"operations":[{"id":1,"client":"a","kind":"acquire","acquisition":1,"call":{"seq":1},"outcome":"unknown"}],"end":{"seq":2}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		trace, err := traces.Decode(bytes.NewReader(data))
		if err != nil {
			return
		}
		again, err := traces.Decode(bytes.NewReader(encode(t, trace)))
		if err != nil {
			t.Fatalf("accepted, but not after it was written: %v", err)
		}
		if !bytes.Equal(encode(t, trace), encode(t, again)) {
			t.Fatal("written differently the second time")
		}
		if !reflect.DeepEqual(filled(trace), filled(again)) {
			t.Fatalf("read as another trace after it was written:\n%+v\n%+v", trace, again)
		}
		if n := len(story.Steps(trace)); n > story.MaxSteps {
			t.Fatalf("%d steps", n)
		}
		if err := render.Explain(io.Discard, trace, render.Style{Color: true}); err != nil {
			t.Fatal(err)
		}
		if err := render.View(io.Discard, trace, "replay"); err != nil {
			t.Fatal(err)
		}
	})
}

// TestDropBeforeSent: what is lost with a server that was still at work on it was
// to be sent later.
func TestDropBeforeSent(t *testing.T) {
	trace := sampletraces.Calm()
	e := &trace.Events[3]
	e.Kind, e.Sent = sim.EventDrop, e.At+1
	if _, err := traces.Decode(bytes.NewReader(encode(t, trace))); err != nil {
		t.Error(err)
	}
}
