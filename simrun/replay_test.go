package simrun

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// TestReplay runs a counterexample again: the same bytes, whatever GOMAXPROCS.
func TestReplay(t *testing.T) {
	path := find(t, "gc-pause", "setpx", "no-lost-update")
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, procs := range []string{"1", "2"} {
		again := filepath.Join(t.TempDir(), "again.json")
		code, out, errs := simrun(t, "replay", path, "-o", again, "--procs", procs)
		if code != exitViolation || !strings.Contains(out, "as recorded") {
			t.Errorf("exit code %d\n%s%s", code, out, errs)
		}
		got, err := os.ReadFile(again)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("with GOMAXPROCS %s the replayed trace has other bytes", procs)
		}
	}
}

// TestReplayDiverges is about traces that no longer fit.
func TestReplayDiverges(t *testing.T) {
	path := find(t, "gc-pause", "setpx", "mutual-exclusion")
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, pattern, with, says string }{
		{"another decision", `"kind":"latency","actor":"c2","n":0,"of":32`, `"kind":"latency","actor":"c2","n":0,"of":64`, "DIVERGED at decision "},
		{"another parameter", `"name":"clients","value":"2"`, `"name":"clients","value":"3"`, "DIVERGED at decision "},
		{"another hash", `"hash": "`, `"hash": "0`, "DIFFERENT"},
		{"another verdict", `"status":"holds"`, `"status":"unknown"`, "the recorded verdicts differ"},
		{"another history", `"value":1}`, `"value":5}`, "the histories differ"},
		{"another claim about itself", `"limit": true`, `"limit": false`, "the recorded description of the run differs"},
	} {
		t.Run(test.name, func(t *testing.T) {
			changed := strings.Replace(string(old), test.pattern, test.with, 1)
			if changed == string(old) {
				t.Fatalf("the trace has no %s", test.pattern)
			}
			file := filepath.Join(t.TempDir(), "changed.json")
			if err := os.WriteFile(file, []byte(changed), 0o666); err != nil {
				t.Fatal(err)
			}
			code, out, errs := simrun(t, "replay", file)
			first, _, _ := strings.Cut(out, "\n")
			if code != exitTrouble || !strings.Contains(first, test.says) {
				t.Errorf("exit code %d, want %d saying %q first\n%s%s", code, exitTrouble, test.says, out, errs)
			}
		})
	}
}

// TestEmptyTape replays a trace that has no choices: it diverges, and says so.
func TestEmptyTape(t *testing.T) {
	old, err := os.ReadFile(find(t, "gc-pause", "setpx", "mutual-exclusion"))
	if err != nil {
		t.Fatal(err)
	}
	empty := regexp.MustCompile(`(?s)"tape": \[.*?\n \]`).ReplaceAll(old, []byte(`"tape": []`))
	if bytes.Equal(empty, old) {
		t.Fatal("the trace has no tape")
	}
	path := filepath.Join(t.TempDir(), "empty.json")
	if err := os.WriteFile(path, empty, 0o666); err != nil {
		t.Fatal(err)
	}
	code, out, errs := simrun(t, "replay", path)
	if code != exitTrouble || !strings.HasPrefix(out, "DIVERGED at decision 1: the recording has no more decisions") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// TestReplayCorpus: what is kept in the corpus replays as it was recorded, though traces have had fields since that an
// older one lacks.
func TestReplayCorpus(t *testing.T) {
	if !comparable(t) {
		return
	}
	for _, name := range []string{"gc-pause_setpx-fenced_mutual-exclusion", "lost-reply_setpx-twostep_owner-only-release"} {
		code, out, errs := simrun(t, "replay", "../traces/corpus/"+name+".json")
		if code != exitViolation || !strings.Contains(out, "as recorded") {
			t.Errorf("%s: exit code %d\n%s%s", name, code, out, errs)
		}
	}
}

// TestReplayTellsThisRun: of a recording that no longer fits, what is told is the
// run that was made, which is calm here, and nothing that was found out about the
// recorded one.
func TestReplayTellsThisRun(t *testing.T) {
	old, err := traces.ReadFile("../traces/corpus/gc-pause_setpx_no-lost-update.json")
	if err != nil {
		t.Fatal(err)
	}
	old.Tape = nil
	old.Shrunk = &traces.Shrunk{From: 9, To: 1, Runs: 5}
	old.Attribution = &traces.Attribution{Deviations: []traces.Deviation{}, Remedies: []traces.Remedy{{Text: "an old remedy", Gone: true, Schedules: 10, Bound: -1}}}
	dir := t.TempDir()
	path, again := filepath.Join(dir, "old.json"), filepath.Join(dir, "again.json")
	if err := traces.WriteFile(path, old); err != nil {
		t.Fatal(err)
	}
	code, out, errs := simrun(t, "replay", path, "-o", again)
	if code != exitTrouble || !strings.HasPrefix(out, "DIVERGED at decision 1") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	for _, says := range []string{"which violates nothing: not no-lost-update as a limit, as the recorded one does", "no violation: setpx under gc-pause"} {
		if !strings.Contains(out, says) {
			t.Errorf("it does not say %q:\n%s", says, out)
		}
	}
	for _, not := range []string{"no-lost-update is violated", "an old remedy", "shrunk", "found by"} {
		if strings.Contains(out, not) {
			t.Errorf("it says %q, which is of the recorded run:\n%s", not, out)
		}
	}
	now, err := traces.ReadFile(again)
	if err != nil || now.Property != "" || now.Attribution != nil || now.Shrunk != nil {
		t.Errorf("the trace of this run says what is of the recorded one: %v, %+v", err, now)
	}
}

// TestReplayOfATroubleThatIsGone: a run that did not finish, and now comes
// to its end, is told as it is.
func TestReplayOfATroubleThatIsGone(t *testing.T) {
	old, err := traces.ReadFile("../traces/corpus/gc-pause_setpx_no-lost-update.json")
	if err != nil {
		t.Fatal(err)
	}
	stalled := &traces.Trace{
		Schema: old.Schema, Made: old.Made, Scenario: old.Scenario, Parameters: old.Parameters, Lock: old.Lock, Store: old.Store, Terms: old.Terms, Seed: old.Seed, Schedule: old.Schedule,
		Trouble: &traces.Trouble{Kind: "stalled", Reason: "c1 waits for a mutex."}, Tape: old.Tape, Actors: old.Actors,
	}
	path := filepath.Join(t.TempDir(), "stalled.json")
	if err := traces.WriteFile(path, stalled); err != nil {
		t.Fatal(err)
	}
	code, out, errs := simrun(t, "replay", path)
	if code != exitTrouble || !strings.HasPrefix(out, "DIFFERENT the recorded run did not finish (stalled); this one did\n\n") ||
		strings.Contains(out, "c1 waits for a mutex") || !strings.Contains(out, "is violated: setpx under gc-pause") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// TestReplayJSON: for programs, the result of a replay is one object, with the same exit code.
func TestReplayJSON(t *testing.T) {
	path := find(t, "gc-pause", "setpx", "mutual-exclusion")
	tr, err := traces.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tr.Hash = "0"
	other := filepath.Join(t.TempDir(), "other.json")
	if err := traces.WriteFile(other, tr); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path, result string
		code         int
	}{{path, "identical", exitViolation}, {other, "different", exitTrouble}} {
		code, out, errs := simrun(t, "replay", "--json", test.path)
		var got struct {
			recorded.Comparison
			Explanation render.Explanation `json:"explanation"`
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || strings.Count(out, "\n") != 1 {
			t.Fatalf("%v\n%s%s", err, out, errs)
		}
		if code != test.code || got.Result != test.result || !got.Kept || got.Property != "mutual-exclusion" || !got.Limit || len(got.Violated) == 0 || got.Hash == "" ||
			(got.Difference == "") != (test.result == "identical") || len(got.Explanation.Steps) == 0 || got.Trace != test.path {
			t.Errorf("exit code %d\n%s", code, out)
		}
	}
	code, out, _ := simrun(t, "explain", "--json", path)
	var e render.Explanation
	if err := json.Unmarshal([]byte(out), &e); err != nil || code != exitNone || e.Property != "mutual-exclusion" || e.Replay != "simrun replay "+path {
		t.Errorf("exit code %d, %v\n%s", code, err, out)
	}
}
