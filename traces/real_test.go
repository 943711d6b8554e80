package traces_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestRefuseConfirmations: what a trace says of real servers is possible, and short enough to be shown.
func TestRefuseConfirmations(t *testing.T) {
	for _, c := range []struct {
		words  string
		change func(*traces.Trace)
	}{
		{"confirmations[0].of: 0 is no number of tries", func(t *traces.Trace) { t.Confirmations[0].Of = 0 }},
		{"confirmations[0].of: -3 is no number of tries", func(t *traces.Trace) { t.Confirmations[0].Of = -3 }},
		{"confirmations[0].of: 2000000 is no number of tries", func(t *traces.Trace) { t.Confirmations[0].Of = 2_000_000 }},
		{"confirmations[0].confirmed: -1 of 20 tries", func(t *traces.Trace) { t.Confirmations[0].Confirmed = -1 }},
		{"confirmations[0].confirmed: 21 of 20 tries", func(t *traces.Trace) { t.Confirmations[0].Confirmed = 21 }},
		{"confirmations[1].meanNanos: a try does not take -1ns", func(t *traces.Trace) { t.Confirmations[1].Mean = -1 }},
		{"confirmations[0].server: \"\" is empty", func(t *traces.Trace) { t.Confirmations[0].Server = "" }},
		{"confirmations[0].server:", func(t *traces.Trace) { t.Confirmations[0].Server = strings.Repeat("9", 201) }},
		{"confirmations[0].client:", func(t *traces.Trace) { t.Confirmations[0].Client = "a\nb" }},
		{"confirmations[0].platform:", func(t *traces.Trace) { t.Confirmations[0].Platform = "\x1b[31m" }},
		{"confirmations[0].when: \"now\" is not a time", func(t *traces.Trace) { t.Confirmations[0].When = "now" }},
		{"confirmations[1]: there is another of \"redis-server 7.0.15\"", func(t *traces.Trace) { t.Confirmations[1] = t.Confirmations[0] }},
		{"there are 101; a trace has at most 100", func(t *traces.Trace) { t.Confirmations = make([]traces.Confirmation, 101) }},
		{"no violation that could have been confirmed", func(t *traces.Trace) { t.Property = "" }},
	} {
		trace := sampletraces.Confirmed()
		c.change(trace)
		refuse(t, string(encode(t, trace)), c.words, "damaged or edited")
	}
}

// TestRefuseReal: a run on real servers has nothing that only a simulated one has.
func TestRefuseReal(t *testing.T) {
	const onlySimulated = "has no tape, no schedule (-1), and nothing that was found out with one"
	for _, c := range []struct {
		words  string
		change func(*traces.Trace)
	}{
		{onlySimulated, func(t *traces.Trace) { t.Schedule = 0 }},
		{onlySimulated, func(t *traces.Trace) { t.Schedule = -2 }},
		{onlySimulated, func(t *traces.Trace) { t.Tape = sampletraces.Calm().Tape }},
		{onlySimulated, func(t *traces.Trace) { t.Shrunk = &traces.Shrunk{} }},
		{onlySimulated, func(t *traces.Trace) { t.Attribution = &traces.Attribution{} }},
		{onlySimulated, func(t *traces.Trace) { t.Confirmations = sampletraces.Confirmed().Confirmations }},
		{"real.try: 0 is no number of a try", func(t *traces.Trace) { t.Real.Try = 0 }},
		{"real.simulated: \"XY\" is not lower-case hex", func(t *traces.Trace) { t.Real.Simulated = "XY" }},
		{"real.diverged.text: has 501 characters", func(t *traces.Trace) { t.Real.Diverged = strings.Repeat("x", 501) }},
		{"real.server:", func(t *traces.Trace) { t.Real.Server = "" }},
		{"real.when:", func(t *traces.Trace) { t.Real.When = "2026-13-01T00:00:00Z" }},
		{"schedule: -1", func(t *traces.Trace) { t.Real = nil }},
	} {
		trace := sampletraces.Real()
		c.change(trace)
		refuse(t, string(encode(t, trace)), c.words, "damaged or edited")
	}
}

// TestSchemaBefore: traces from before there were confirmations are read, and none of them has any.
func TestSchemaBefore(t *testing.T) {
	before := func(trace *traces.Trace) string {
		return strings.Replace(string(encode(t, trace)), `"schema": 3`, `"schema": 2`, 1)
	}
	want := sampletraces.GCPause()
	got, err := traces.Decode(strings.NewReader(before(want)))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encode(t, got), encode(t, want)) {
		t.Error("it reads as another trace")
	}
	refuse(t, before(sampletraces.Confirmed()), `schema 2 has no field "confirmations"`)
	refuse(t, before(sampletraces.Real()), `schema 2 has no field "real"`)
	remarked := sampletraces.Calm()
	remarked.Remarks = []sim.Remark{{Seq: 1, Code: "a.go:1"}}
	refuse(t, before(remarked), `schema 2 has no field "remarks"`)
}

func TestConfirm(t *testing.T) {
	trace := sampletraces.GCPause()
	on := func(server, client string, n int) traces.Confirmation {
		return traces.Confirmation{Server: server, Client: client, Confirmed: n}
	}
	for _, c := range []traces.Confirmation{on("a", "x", 1), on("b", "x", 2), on("a", "y", 3), on("a", "x", 4)} {
		trace.Confirm(c)
	}
	if want := []traces.Confirmation{on("a", "x", 4), on("b", "x", 2), on("a", "y", 3)}; !reflect.DeepEqual(trace.Confirmations, want) {
		t.Errorf("got %v, want %v", trace.Confirmations, want)
	}
}

// TestStillConfirmed: the results of a trace are those of another one only if both are of the same run.
func TestStillConfirmed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*traces.Trace)
		want   bool
	}{
		"the same run":      {func(*traces.Trace) {}, true},
		"other versions":    {func(t *traces.Trace) { t.Made = traces.Versions{"go": "go9"} }, true},
		"another tape":      {func(t *traces.Trace) { t.Tape = []sim.Choice{{}} }, false},
		"another outcome":   {func(t *traces.Trace) { t.Hash = "00" }, false},
		"another lock":      {func(t *traces.Trace) { t.Lock = "mine" }, false},
		"another scenario":  {func(t *traces.Trace) { t.Scenario = "calm" }, false},
		"other parameters":  {func(t *traces.Trace) { t.Parameters = nil }, false},
		"another violation": {func(t *traces.Trace) { t.Property = "progress" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			old, now := sampletraces.Confirmed(), sampletraces.Confirmed()
			now.Confirmations = nil
			c.change(now)
			now.StillConfirmed(old)
			if got := len(now.Confirmations) > 0; got != c.want {
				t.Errorf("confirmed: %v", got)
			}
		})
	}
}
