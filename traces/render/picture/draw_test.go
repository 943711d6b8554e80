package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

const (
	us = time.Microsecond
	ms = time.Millisecond
)

func draw(t testing.TB, trace *traces.Trace) string {
	t.Helper()
	var file bytes.Buffer
	if err := Draw(&file, trace); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// TestDraw: a drawing is well-formed, is the same for equal traces, has every
// step, and has nothing that runs or leads elsewhere, whatever the trace says.
func TestDraw(t *testing.T) {
	for _, sample := range sampletraces.Samples {
		t.Run(sample.Name, func(t *testing.T) {
			trace := sample.Make()
			file := draw(t, trace)
			if file != draw(t, sample.Make()) {
				t.Error("equal traces make different drawings")
			}
			texts := 0
			for d := xml.NewDecoder(strings.NewReader(file)); ; {
				token, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				start, ok := token.(xml.StartElement)
				if !ok {
					continue
				}
				if start.Name.Local == "script" || start.Name.Local == "image" || start.Name.Local == "foreignObject" {
					t.Errorf("it has an element %s", start.Name.Local)
				}
				for _, a := range start.Attr {
					if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
						t.Errorf("it has an attribute %s", a.Name.Local)
					}
					if a.Name.Local == "class" && strings.HasSuffix(a.Value, " number") {
						texts++
					}
				}
			}
			if want := 2 * len(story.Steps(trace)); texts != want {
				t.Errorf("%d numbers and times of steps, want %d", texts, want)
			}
		})
	}
}
