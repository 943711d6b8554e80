package simredis

import (
	"regexp"
	"strings"
	"testing"
)

// What Redis answers to the golden sequences is written down, so that they also
// hold where there is no redis-server. Where there is one, TestFidelity shows
// that it does answer so.

func TestGoldenReplies(t *testing.T) {
	play(t, Options{}, func(x *player) { checkGolden(t, x.primary) })
}

// testGoldenFidelity holds a real Redis against what is written down of it.
func testGoldenFidelity(t *testing.T, socket string) {
	checkGolden(t, func() *wire { return dialReal(t, socket) })
}

func checkGolden(t *testing.T, dial func() *wire) {
	t.Helper()
	w := dial()
	for script, want := range goldenLines(goldenScripts) {
		w.want("+OK\r\n", "FLUSHALL")
		if got := w.do("EVAL", script, "0", "1e14", "010", "0x10"); plainly(got) != want {
			t.Errorf("%s\n\tanswers %q instead of %q", script, plainly(got), want)
		}
	}
	for sequence := range strings.SplitSeq(goldenCommands, "\n\n") {
		w.want("+OK\r\n", "FLUSHALL")
		wires := map[int]*wire{}
		for line, want := range goldenLines(sequence) {
			s := parseSteps(line)[0]
			if wires[s.conn] == nil {
				wires[s.conn] = dial()
			}
			if got := wires[s.conn].answer(s.words); plainly(got) != want {
				t.Errorf("%s\n\tanswers %q instead of %q", line, plainly(got), want)
			}
		}
	}
}

// goldenLines yields what is asked and what is to be answered.
func goldenLines(table string) func(func(asked, want string) bool) {
	return func(yield func(string, string) bool) {
		for line := range strings.Lines(table) {
			asked, want, found := strings.Cut(strings.TrimSpace(line), " => ")
			if found && !yield(asked, want) {
				return
			}
		}
	}
}

var lengths = regexp.MustCompile(`\$\d+\r\n`)

// plainly is a reply in one line.
func plainly(reply string) string {
	reply = lengths.ReplaceAllString(reply, "$$")
	return strings.ReplaceAll(strings.TrimSuffix(reply, "\r\n"), "\r\n", " ")
}
