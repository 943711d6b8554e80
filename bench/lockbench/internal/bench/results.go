package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
)

// Results are the results of a run, as they are in the file.
type Results struct {
	Plan     Plan            `json:"plan"`
	Machine  string          `json:"machine"`
	Commit   string          `json:"commit,omitempty"`
	Load     string          `json:"load,omitempty"` // of the machine, over a minute, when the run began
	Minutes  float64         `json:"minutes"`
	Outcomes []trial.Outcome `json:"outcomes"`

	mu   sync.Mutex
	path string
	now  string // the commit of the source
}

// Open reads the results of a file, or begins new ones.
func Open(path string, p Plan) (*Results, error) {
	now := commit()
	r, err := Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Results{Plan: p, Machine: machine(), Commit: now, Load: load(), path: path, now: now}, nil
	case err != nil:
		return nil, fmt.Errorf("the results of an earlier run cannot be read: %w; remove the file", err)
	case r.Plan.Name != p.Name || r.Plan.Limit != p.Limit:
		return nil, fmt.Errorf("%s has the results of another run (%s): name another file, or remove it", path, r.Plan)
	}
	r.Plan, r.now = p, now
	return r, nil
}

// Read reads the results of a file.
func Read(path string) (*Results, error) {
	r := &Results{path: path}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if p := r.Plan; p.Seeds < 1 || p.Seeds > mostSeeds || p.Limit < 1 {
		return nil, fmt.Errorf("%s: its plan has %d seeds and %s a try: want 1 to %d seeds, and 1s and more", path, p.Seeds, seconds(p.Limit), mostSeeds)
	}
	made := map[string]bool{}
	for _, o := range r.Outcomes {
		try := fmt.Sprintf("the try of %s (%s) by %s with seed %d", o.Bug, o.Version, o.Arm, o.Seed)
		switch {
		case made[try]:
			return nil, fmt.Errorf("%s: it has %s twice", path, try)
		case o.Seed < 1 || o.Seed > uint64(r.Plan.Seeds) || o.Seconds < 0 || o.Processor < 0 || o.Shown < 0 || o.Shown > o.Replays:
			return nil, fmt.Errorf("%s: %s has a number that cannot be", path, try)
		}
		made[try] = true
	}
	if sorted := slices.Sorted(slices.Values(r.Plan.Bugs)); len(sorted) == 0 || len(slices.Compact(sorted)) < len(r.Plan.Bugs) {
		return nil, fmt.Errorf("%s: its plan has no bugs, or one of them twice", path)
	}
	return r, nil
}

// add keeps an outcome.
func (r *Results) add(o trial.Outcome, minutes float64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now != r.Commit {
		o.Commit = r.now
	}
	r.Outcomes = append(r.Outcomes, o)
	r.Minutes += minutes
	return r.write()
}

// write writes the file, so that a reader never sees a part of it.
func (r *Results) write() error {
	raw, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(r.path), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(r.path+".new", append(raw, '\n'), 0o666); err != nil {
		return err
	}
	return os.Rename(r.path+".new", r.path)
}

// has reports whether a task has been done, or need not be.
func (r *Results) has(t task) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.Outcomes {
		if t.of(&r.Outcomes[i]) {
			return true
		}
	}
	return r.Plan.clear(t, r.Outcomes)
}

// machine describes this machine.
func machine() string {
	name := "unknown processor"
	if f, err := os.Open("/proc/cpuinfo"); err == nil {
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
				name = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%d processors (%s), %s/%s, %s", runtime.NumCPU(), name, runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// load returns the load of this machine over the last minute, empty if it is not known.
func load() string {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(raw), " ")
	return first
}

// commit returns the commit of the source, empty if it is not known.
func commit() string {
	out, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
