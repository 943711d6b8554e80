package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
		{"another verdict", `"status":"holds"`, `"status":"unknown"`, "the file records other verdicts"},
		{"another history", `"value":1}`, `"value":5}`, "the histories differ"},
		{"another claim about itself", `"limit": true`, `"limit": false`, "the file says other things about itself"},
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
			if code != exitTrouble || !strings.Contains(out, test.says) {
				t.Errorf("exit code %d, want %d saying %q\n%s%s", code, exitTrouble, test.says, out, errs)
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
	if code != exitTrouble || !strings.Contains(out, "DIVERGED at decision 1: the recording has no more decisions") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}
