package explore

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
)

// printingWorkers are workers on standard input and output, and on pipes.
func printingWorkers(t *testing.T) map[string]Worker {
	pipes := self(t)
	pipes.Pipes, pipes.Env = true, []string{asWorker + "=pipes", "GORACE=atexit_sleep_ms=0"}
	return map[string]Worker{"stdio": self(t), "pipes": pipes}
}

// TestPrinted: a recorded run knows what is printed by whatever way, in order; another is not asked for it.
func TestPrinted(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere only what os.Stdout, os.Stderr and package log print is seen")
	}
	for name, w := range printingWorkers(t) {
		h := Hand{Worker: w}
		for range 2 { // the second run is of the same process
			r, err := h.Replay(t.Context(), cell{"print and record", always}.json(), nil)
			if err != nil || r.Trouble != nil {
				t.Fatalf("%s: %v, %v", name, err, r)
			}
			var all strings.Builder
			for _, m := range r.Recording.Remarks {
				all.WriteString(m.Line)
			}
			lines := strings.Split(all.String(), "\n")
			if len(lines) != 5 || lines[0] != "printed" || !strings.HasSuffix(lines[1], "logged") || lines[2] != "by the runtime" || lines[3] != "by a kept file" {
				t.Errorf("%s: %q", name, lines)
			}
		}
		err := h.Do(t.Context(), Request{Cell: cell{"print and record", always}.json(), Count: 3}, func(r Result) bool {
			if r.Recording != nil || r.Trouble != nil {
				t.Errorf("%s: %+v", name, r)
			}
			return true
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		h.Close()
	}
}

// TestLastWords: what a recorded run has printed when it ends its process is not lost.
func TestLastWords(t *testing.T) {
	t.Parallel()
	for name, w := range printingWorkers(t) {
		_, err := w.Replay(t.Context(), cell{"last words", always}.json(), nil)
		var trouble *Trouble
		if !errors.As(err, &trouble) || trouble.Kind != Crashed || !strings.Contains(trouble.Stack, "these are the last words") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPrintWithoutEnd: a recorded run that prints without end is given up for that.
func TestPrintWithoutEnd(t *testing.T) {
	slowtest.SkipIfShort(t)
	t.Parallel()
	r, err := self(t).Replay(t.Context(), cell{"print without end", always}.json(), nil)
	var trouble *Trouble
	if !errors.As(err, &trouble) && r != nil {
		trouble = r.Trouble
	}
	if trouble == nil || trouble.Cause != Printing || trouble.Kind != Inconclusive {
		t.Errorf("%v, %+v", err, r)
	}
}
