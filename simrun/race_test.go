package simrun

import (
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestRaceBinary compares runs of this binary with those of one that was built
// with the race detector: of a lock that has a dozen goroutines fail at one instant,
// and of one that is not deterministic, which must be found out.
func TestRaceBinary(t *testing.T) {
	if os.Getenv("LOCKPICK_LONG") == "" {
		t.Skip("builds a binary with the race detector: set LOCKPICK_LONG")
	}
	binary := filepath.Join(t.TempDir(), "simrun-race")
	build := exec.Command("go", "test", "-race", "-c", "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, scenario := range []string{"partition", "hung-node", "gc-pause"} {
		code, out, errs := simrun(t, "doctor", "--scenario", scenario, "--lock", "test-quorum-retries", "--runs", "60", "--race-binary", binary)
		if code != exitNone || !strings.Contains(out, "OK ") {
			t.Errorf("%s: exit code %d\n%s%s", scenario, code, out, errs)
		}
	}
	code, out, errs := simrun(t, "doctor", "--scenario", "contention", "--lock", "test-own-random", "--runs", "10", "--race-binary", binary)
	if code != exitTrouble || !strings.Contains(out, "nondeterministic") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// TestDoctorRaceNeeds: without what it takes to build with the race detector, or
// with a binary that is not what it should be, doctor says so and compares nothing.
func TestDoctorRaceNeeds(t *testing.T) {
	executable := func(dir, name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	here, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	self, err := buildinfo.ReadFile(here)
	if err != nil {
		t.Fatal(err)
	}
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "text")
	executable(filepath.Dir(other), "text", "#!/bin/sh\n")
	for _, test := range []struct {
		name  string
		tools map[string]string
		flag  string
		code  int
		says  string
	}{
		{"no Go", nil, "--race", exitInconclusive, "go is not in the path; nothing was compared"},
		{"no C compiler", map[string]string{"go": "#!/bin/sh\n"}, "--race", exitInconclusive, "gcc is not in the path; nothing was compared"},
		{"no source", map[string]string{"go": "#!/bin/sh\necho no required module; exit 1\n", "gcc": "#!/bin/sh\n"}, "--race", exitInconclusive, "no required module"},
		{"no such binary", nil, "--race-binary=" + filepath.Join(dir, "none"), exitUsage, "no such file"},
		{"no program of Go's", nil, "--race-binary=" + other, exitUsage, "not a Go program"},
		{"another program", nil, "--race-binary=" + goTool(t), exitUsage, "built without the race detector"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := t.TempDir()
			for name, content := range test.tools {
				executable(path, name, content)
			}
			t.Setenv("PATH", path)
			t.Setenv("CC", "")
			code, out, errs := simrun(t, "doctor", "--scenario", "contention", "--lock", "setpx", "--runs", "1", test.flag)
			if code != test.code || !strings.Contains(errs, test.says) || strings.Contains(out, "OK ") {
				t.Errorf("exit code %d, want %d and %q\n%s%s", code, test.code, test.says, out, errs)
			}
		})
	}
	if buildSetting(self, "-race") == "true" {
		return // then this very binary would do
	}
	code, _, errs := simrun(t, "doctor", "--scenario", "contention", "--lock", "setpx", "--runs", "1", "--race-binary", here)
	if code != exitUsage || !strings.Contains(errs, "it was built without the race detector") {
		t.Errorf("this binary: exit code %d\n%s", code, errs)
	}
}

// goTool is a program that is none of Lockpick's.
func goTool(t *testing.T) string {
	path, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDoctorSample: over as many seeds as there are locks, every scenario meets each
// lock as often as the sample is large.
func TestDoctorSample(t *testing.T) {
	locks := locks()
	for scenario := range scenarios.All() {
		for size := 1; size <= 4; size++ {
			times := map[string]int{}
			for seed := range locks {
				c := doctorCmd{Sample: size, Seed: 1_000_000 + uint64(seed)}
				seen := map[string]bool{}
				for _, l := range c.sample(locks, scenario) {
					times[l.ID]++
					seen[l.ID] = true
				}
				if len(seen) != size {
					t.Fatalf("seed %d: a sample of %d has %d locks", seed, size, len(seen))
				}
			}
			for _, l := range locks {
				if times[l.ID] != size {
					t.Errorf("scenario %d: %s came up %d times in samples of %d", scenario, l.ID, times[l.ID], size)
				}
			}
		}
	}
	if c := (doctorCmd{Sample: len(locks) + 1}); len(c.sample(locks, 0)) != len(locks) || len((&doctorCmd{}).sample(locks, 3)) != len(locks) {
		t.Error("a sample of all locks, or none asked for, is not all locks")
	}
}
