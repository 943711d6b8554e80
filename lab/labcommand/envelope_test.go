package labcommand

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
)

// smallMap are the arguments of a map that takes a moment.
var smallMap = []string{"envelope", "--lock", "setpx", "--map", "lease,pause", "--bounds", "pause=200ms..800ms", "--bounds", "lease=250ms..1.5s", "--columns", "2", "--checks", "1", "--runs", "40", "--pause", "500ms"}

// mapped makes the small map in a directory of its own, and returns what is printed, without the directory.
func mapped(t *testing.T, more ...string) (out, dir string) {
	t.Helper()
	dir = t.TempDir()
	code, out, errs := simrun(t, append(append([]string{}, smallMap...), append(more, "--out", dir)...)...)
	if code != 1 || errs != "" {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	return strings.ReplaceAll(out, dir, "DIR"), dir
}

// TestEnvelope: the same command prints the same map and draws the same picture, whatever the number of workers, and the traces of its
// violations can be replayed.
func TestEnvelope(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "map.svg")
	out, dir := mapped(t, "--jobs", "1", "-o", picture)
	out = strings.ReplaceAll(out, picture, "map.svg")
	golden.File(t, "testdata/envelope.txt", out)
	drawn, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	other, _ := mapped(t, "--jobs", "3", "-o", picture)
	if other = strings.ReplaceAll(other, picture, "map.svg"); other != out {
		t.Errorf("with three workers it prints\n%s", other)
	}
	if again, err := os.ReadFile(picture); err != nil || !bytes.Equal(again, drawn) {
		t.Errorf("with three workers the picture differs: %v", err)
	}
	for _, mark := range []string{"<svg ", "lease by longest pause", "the formula: lease &gt; pause + hold + 3 rtt", "none found, which is no proof", "</svg>\n"} {
		if !strings.Contains(string(drawn), mark) {
			t.Errorf("the picture lacks %q", mark)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "envelope_gc-pause_setpx_*_no-lost-update_limit.json"))
	if err != nil || len(files) < 2 {
		t.Fatalf("traces %v, %v", files, err)
	}
	if code, out, errs := simrun(t, "replay", files[0]); code != 1 || !strings.Contains(out, "as recorded") {
		t.Errorf("replay of %s: exit code %d\n%s%s", files[0], code, out, errs)
	}
}

// TestEnvelopeJSON: an object on each line: the map, what the lock needs, the summary; and the page has them.
func TestEnvelopeJSON(t *testing.T) {
	page := filepath.Join(t.TempDir(), "map.html")
	out, _ := mapped(t, "--json", "-o", page)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines\n%s", len(lines), out)
	}
	for i, kind := range []string{"map", "needs", "summary"} {
		var o struct {
			Type     string
			Monotone *bool
			Columns  []struct{ Violated, None, Trace string }
			Lease    string
			Result   string
		}
		if err := json.Unmarshal([]byte(lines[i]), &o); err != nil || o.Type != kind {
			t.Fatalf("line %d is %s, %v", i+1, lines[i], err)
		}
		switch {
		case kind == "map" && (!*o.Monotone || len(o.Columns) != 2 || o.Columns[0].Violated == "" || o.Columns[0].Trace == ""),
			kind == "needs" && o.Lease == "", kind == "summary" && o.Result != "violation":
			t.Errorf("%s", lines[i])
		}
	}
	text, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(text), "What it does not mean") || !strings.Contains(string(text), "default-src ") || strings.Contains(string(text), "ZgotmplZ") {
		t.Errorf("the page is %v\n%s", err, text)
	}
}

// TestEnvelopeFenced: a lock with a fence has no border.
func TestEnvelopeFenced(t *testing.T) {
	code, out, errs := simrun(t, "envelope", "--lock", "setpx-fenced", "--map", "lease,pause", "--columns", "2", "--checks", "1", "--runs", "40", "--out", t.TempDir())
	if code != 0 || errs != "" || !strings.Contains(out, "No border: none found in 40 schedules at any of ") || strings.Contains(out, "other side") || !strings.Contains(out, "This lock has a fence") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// TestEnvelopeVacuous: where the fault never strikes a holder, nothing was shown.
func TestEnvelopeVacuous(t *testing.T) {
	code, out, errs := simrun(t, "envelope", "--lock", "setpx", "--map", "lease,rtt", "--columns", "2", "--checks", "1", "--runs", "1", "--out", t.TempDir())
	if code != 3 || errs != "" || !strings.Contains(out, "result vacuous") || !strings.Contains(out, "vacuous: no fault struck a holder.") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// TestEnvelopeMistakes: what is wrong with a command line is said before anything is searched, with exit code 2.
func TestEnvelopeMistakes(t *testing.T) {
	for line, says := range map[string]string{ // unordered: each by itself
		"--lock setpy":                                     `there is no lock "setpy"`,
		"--lock setnx":                                     "the lock setnx has no lease to map",
		"--lock setpx --store zookeeper":                   "it is a lock over redis, and not over zookeeper",
		"--lock setpx --store rediss":                      `there is no store "rediss"`,
		"--scenario gc-pauses":                             `there is no scenario "gc-pauses"`,
		"--scenario contention":                            "in the scenario contention nothing pauses",
		"--scenario contention --map lease,rtt --pause 1s": "--pause=1s: in the scenario contention nothing pauses",
		"--map lease":                                      "want two axes",
		"--map lease,size":                                 `there is no axis "size"`,
		"--map pause,rtt":                                  "--map pause,rtt: one of its axes must be lease",
		"--bounds lease=3s..1s":                            "the bounds cross",
		"--bounds lease=1s..2s --bounds lease=3s..4s":      "the axis lease has bounds already",
		"--map lease,pause --map lease,pause":              "--map lease,pause is given twice",
		"--property overrun,overrun":                       "--property=overrun is given twice",
		"--map lease,pause --bounds rtt=1ms..2ms":          "no map has the axis rtt",
		"--pause 1h":                                       `--pause="1h": want a value from 1ms to 20s`,
		"-p lease=3s":                                      "the axes set it",
		"-p clients=99":                                    `parameter clients="99"`,
		"--property fair-order":                            "it is not judged for the lock setpx",
		"--runs 0":                                         "--runs=0: want 1 to 1000000",
		"--columns 1":                                      "--columns=1: want 2 to 40",
		"-o map.png":                                       "want a name that ends with .svg or .html",
		"-o nowhere/map.svg":                               "there is no directory nowhere",
	} {
		args := append([]string{"envelope", "--out", filepath.Join(t.TempDir(), "out")}, strings.Fields(line)...)
		if code, out, errs := simrun(t, args...); code != 2 || out != "" || !strings.Contains(errs, says) {
			t.Errorf("%s: exit code %d, %q\n%s", line, code, errs, out)
		}
	}
}
