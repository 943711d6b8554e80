package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
)

// TestRun: what a search against etcd prints: one story for each cause, in less than 60 lines.
func TestRun(t *testing.T) {
	dir, program := t.TempDir(), built(t)
	out, err := exec.Command(program, "run", "gc-pause", "--lock", "etcd-mutex", "--runs", "40", "--stable", "--out", dir).Output()
	if err == nil || strings.Count(string(out), "\n") >= 60 {
		t.Fatalf("%v, %d lines\n%s", err, strings.Count(string(out), "\n"), out)
	}
	golden.Pinned(t, "go.etcd.io/etcd/client/v3")
	text := strings.ReplaceAll(strings.ReplaceAll(string(out), dir, "DIR"), program, "simrun")
	golden.File(t, "testdata/run.golden", text)
}
