package traces_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestDescription: a trace describes its properties itself, in the words of its store. One
// from before traces did has the descriptions of that time, of the properties of that time.
func TestDescription(t *testing.T) {
	own := traces.Property{ID: "own", Description: model.Description{Asks: "The {serving} has it.", Window: "it has not"}}
	old, now := sampletraces.GCPause(), sampletraces.GCPause()
	now.Properties = []traces.Property{own}
	const nothing = "it is broken"
	for _, test := range []struct {
		trace        *traces.Trace
		id           string
		asks, window string
	}{
		{old, "no-lost-update", "Every accepted write follows from the value that its client had read.", "an update is lost"},
		{old, "timely-loss", "", nothing},
		{now, "own", "The primary has it.", "it has not"},
		{now, "no-lost-update", "", nothing},
	} {
		if d := test.trace.Description(test.id); d.Asks != test.asks || d.Window != test.window {
			t.Errorf("%s: %+v", test.id, d)
		}
	}
	var file bytes.Buffer
	if err := traces.Encode(&file, now); err != nil {
		t.Fatal(err)
	}
	read, err := traces.Decode(&file)
	if err != nil || len(read.Properties) != 1 || read.Properties[0] != own {
		t.Errorf("read %+v, %v", read, err)
	}
	for what, list := range map[string][]traces.Property{
		"given twice": {own, own}, "is empty": {{}},
		"cannot be printed": {{ID: "own", Description: model.Description{Window: "\x1b[31m"}}},
		"is too long":       {{ID: "own", Description: model.Description{Asks: strings.Repeat("no ", 200)}}},
	} {
		now.Properties = list
		file.Reset()
		if err := traces.Encode(&file, now); err != nil {
			t.Fatal(err)
		}
		if _, err := traces.Decode(&file); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
