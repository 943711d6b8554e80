package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
)

// Runner makes the tries of a plan.
type Runner struct {
	Bugs []*trial.Bug
	Arms []trial.Arm
	// Dir is the directory of lockbench, with the modules of bugs, and Bin that of their programs.
	Dir, Bin string
	// Log gets a line for each try.
	Log io.Writer

	mu    sync.Mutex
	built map[string]error
}

// Run makes all tries of the plan, which may be a part of that of the results, that these lack.
func (n *Runner) Run(ctx context.Context, r *Results, p Plan) error {
	n.built = map[string]error{}
	var alone, side [][]task
	for _, a := range n.Arms {
		if !slices.Contains(p.Arms, a.ID()) {
			continue
		}
		for _, b := range n.Bugs {
			if !slices.Contains(p.Bugs, b.ID) {
				continue
			}
			if list := p.tasks(b.ID, a); a.Waits() {
				side = append(side, list)
			} else {
				alone = append(alone, list)
			}
		}
	}
	if err := n.buildAll(ctx, p); err != nil {
		return err
	}
	return errors.Join(n.all(ctx, r, alone, 1), n.all(ctx, r, side, p.Side))
}

// buildAll builds the programs of the bugs that have their own.
func (n *Runner) buildAll(ctx context.Context, p Plan) error {
	for _, b := range n.Bugs {
		if b.Module == "" || !slices.Contains(p.Bugs, b.ID) {
			continue
		}
		for _, version := range []string{trial.Bad, trial.Good} {
			if err := n.build(ctx, b, version); err != nil {
				return err
			}
		}
	}
	return nil
}

// build builds the program of a version, once.
func (n *Runner) build(ctx context.Context, b *trial.Bug, version string) error {
	out := n.program(b, version)
	if err, is := n.built[out]; is {
		return err
	}
	args := []string{"build", "-ldflags=-X testing.testBinary=1", "-o", out}
	if version == trial.Good {
		args = append(args, "-modfile=good.mod")
	}
	c := exec.CommandContext(ctx, "go", append(args, ".")...)
	c.Dir = filepath.Join(n.Dir, b.Module)
	text, err := c.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s, %s: %w\n%s", b.Module, version, err, text)
	}
	n.built[out] = err
	return err
}

// program returns the path of the program of a version: this one, or that of the bug's module.
func (n *Runner) program(b *trial.Bug, version string) string {
	if b.Module == "" {
		self, err := os.Executable()
		if err != nil {
			return os.Args[0]
		}
		return self
	}
	return filepath.Join(n.Bin, filepath.Base(b.Module)+"-"+version)
}

// all makes tries, some side by side. Those of one bug and arm come one after the other, since the first decide about the rest.
func (n *Runner) all(ctx context.Context, r *Results, lists [][]task, jobs int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan []task)
	var hands sync.WaitGroup
	began := time.Now()
	for range jobs {
		hands.Go(func() {
			for list := range next {
				for _, t := range list {
					if r.has(t) || ctx.Err() != nil {
						continue
					}
					o, err := n.try(ctx, t)
					if err != nil {
						cancel(err)
						return
					}
					n.mu.Lock()
					minutes := time.Since(began).Minutes()
					began = time.Now()
					n.mu.Unlock()
					if err := r.add(o, minutes); err != nil {
						cancel(err)
					}
				}
			}
		})
	}
	for _, list := range lists {
		select {
		case next <- list:
		case <-ctx.Done():
		}
	}
	close(next)
	hands.Wait()
	return context.Cause(ctx)
}

// grace is how much longer than its limit a try may take: for a round or a search that ends, its replays and its servers.
const grace = 3 * time.Minute

// try makes a try in a process of its own. A try that has no result because of its servers or processes is an outcome with an
// error, and counts as not found.
func (n *Runner) try(ctx context.Context, t task) (trial.Outcome, error) {
	b := n.Bugs[slices.IndexFunc(n.Bugs, func(b *trial.Bug) bool { return b.ID == t.bug })]
	limited, cancel := context.WithTimeout(ctx, seconds(t.limit)+grace+time.Duration(t.replays)*15*time.Second)
	defer cancel()
	c := exec.CommandContext(limited, n.program(b, t.version), trial.TryWord, "-bug", t.bug, "-arm", t.arm, "-version", t.version,
		"-seed", fmt.Sprint(t.seed), "-limit", seconds(t.limit).String(), "-replays", fmt.Sprint(t.replays))
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 20 * time.Second
	var words tail
	c.Stderr = &words
	out, err := c.Output()
	if ctx.Err() != nil {
		return trial.Outcome{}, context.Cause(ctx)
	}
	o := trial.Outcome{Bug: t.bug, Version: t.version, Arm: t.arm, Seed: t.seed}
	if err == nil {
		err = json.Unmarshal(out, &o)
	}
	if err != nil {
		o.Error = fmt.Sprintf("%v: %s", err, words.String())
	}
	if !o.Found && c.ProcessState != nil { // one that was found says so itself, without its replays
		o.Processor = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	fmt.Fprintf(n.Log, "%s %s %-24s %-4s seed %d  %-9s %6.1f s  %s\n", time.Now().Format("15:04:05"), t.arm, t.bug, t.version, t.seed, word(&o), o.Seconds, o.Where+o.Error)
	return o, nil
}

// word is the result of a try.
func word(o *trial.Outcome) string {
	switch {
	case o.Found:
		return "found"
	case o.Error != "":
		return "error"
	}
	return "-"
}

// tail keeps the end of what is written.
type tail struct{ last []byte }

func (w *tail) Write(b []byte) (int, error) {
	w.last = append(w.last, b...)
	w.last = w.last[max(0, len(w.last)-2000):]
	return len(b), nil
}

func (w *tail) String() string { return string(w.last) }
