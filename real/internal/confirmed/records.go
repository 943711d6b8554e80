package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/traces"
)

// module is one of the track record.
type module struct {
	// dir has the module, and repaired the one with the version that has been repaired, empty if there is none.
	dir, repaired string
}

// recorded are the modules of the track record in which a failure must be found.
var recorded = []module{
	{"examples/trackrecord/redislock-v0.9.3", "examples/trackrecord/redislock-v0.9.4"},
	{"examples/trackrecord/redsync-v4.0.3", "examples/trackrecord/redsync-v4.0.4"},
	{"examples/adoption", ""},
	{"examples/trackrecord/samuel-go-zookeeper-2016-09", "examples/trackrecord/samuel-go-zookeeper-2016-10"},
	{"examples/trackrecord/etcd-v3.4.3", "examples/trackrecord/etcd-v3.5.17"},
	{"etcd/builtin", ""}, // tests of repaired versions have other subtests
	{"examples/trackrecord/go-sql-driver-v1.3.0", "examples/trackrecord/go-sql-driver-v1.4.0"},
	{"examples/trackrecord/go-mysql-lock-v0.0.6", "examples/trackrecord/go-mysql-lock-v0.0.7"},
	{"examples/trackrecord/go-redis-v9.7.3", "examples/trackrecord/go-redis-v9.8.0"},
	{"examples/trackrecord/go-redis-v9.17.3", "examples/trackrecord/go-redis-v9.18.0"},
	{"examples/trackrecord/go-redis-v9.23.0", ""},
}

// record searches a module, and takes each trace of what was found.
func (j *job) record(ctx context.Context, m module) error {
	work, err := os.MkdirTemp("", "lockpick-confirmed")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	found := filepath.Join(work, "found")
	output, _ := goTest(ctx, m.dir, "-simrun.out="+found) // a test that finds what it looks for may fail
	list, err := jsonBelow(found)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("its test has found nothing:\n%s", output)
	}
	if err != nil {
		return err
	}
	for _, file := range list {
		begin := time.Now()
		r, err := j.confirmIn(ctx, m.dir, file, work)
		if err != nil {
			return err
		}
		sub := subtest(found, file)
		one := row{Statement: *r, name: m.dir + "/" + sub + strings.TrimSuffix(filepath.Base(file), ".json"), module: filepath.Base(m.dir)}
		if sub != "" {
			one.module += ": " + strings.ReplaceAll(strings.TrimSuffix(sub, "/"), "_", " ")
		}
		if m.repaired != "" && r.Of > 0 {
			if one.control, err = j.confirmIn(ctx, m.repaired, file, work); err != nil {
				j.add(one)
				return err
			}
			one.repaired = filepath.Base(m.repaired)
			if one.control.Confirmed > 0 {
				j.surprises = append(j.surprises, fmt.Sprintf("%s: confirmed in %s, which is repaired", one.name, m.repaired))
			}
		}
		one.took = time.Since(begin)
		j.add(one)
	}
	return nil
}

// subtest returns the part of a found trace's path that names the subtest, with a slash behind it, empty if there is none.
func subtest(found, file string) string {
	var parts []string
	rel, _ := filepath.Rel(found, filepath.Dir(file)) // both begin in the same way
	for _, part := range strings.Split(filepath.ToSlash(rel), "/") {
		if part != "." && part != "TestTrackRecord" && part != "bad" {
			parts = append(parts, part+"/")
		}
	}
	return strings.Join(parts, "")
}

// confirmIn has the test of a module confirm a trace, which may be of another version of the module.
func (j *job) confirmIn(ctx context.Context, dir, file, work string) (*confirm.Statement, error) {
	if j.simrun == "" {
		return nil, errors.New("simrun is not built")
	}
	own, err := ofModule(ctx, dir, file, work)
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, j.simrun, "confirm", "--json",
		fmt.Sprintf("--tries=%d", j.effort.Tries), fmt.Sprintf("--need=%d", j.effort.Need), "--limit="+j.effort.Limit.String(), own)
	command.Dir = filepath.Join(root, dir)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	var errs bytes.Buffer
	command.Stderr = &errs
	out, failed := command.Output() // it may exit with 1 or 3
	var r confirm.Statement
	if err := json.Unmarshal(out, &r); err != nil {
		return nil, errors.Join(failed, fmt.Errorf("simrun confirm %s in %s:\n%s%s", own, dir, out, errs.String()))
	}
	return &r, nil
}

// ofModule writes a trace as one of the test of a module.
func ofModule(ctx context.Context, dir, file, work string) (string, error) {
	t, err := traces.ReadFile(file)
	if err != nil {
		return "", err
	}
	list := exec.CommandContext(ctx, "go", "list", ".")
	list.Dir = filepath.Join(root, dir)
	path, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("go list in %s: %w", dir, err)
	}
	if t.Test == nil {
		return "", fmt.Errorf("%s is of no test", file)
	}
	of := *t.Test
	of.Package = strings.TrimSpace(string(path))
	t.Test = &of
	own := filepath.Join(work, "trace.json")
	return own, traces.WriteFile(own, t)
}

// build builds simrun with all stores.
func (j *job) build(ctx context.Context, dir string) error {
	j.simrun = filepath.Join(dir, "simrun")
	command := exec.CommandContext(ctx, "go", "build", "-o", j.simrun, "./cmd/simrun")
	command.Dir = filepath.Join(root, "lab")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("simrun cannot be built: %w\n%s", err, out)
	}
	return nil
}

// goTest runs the test of the track record in a module.
func goTest(ctx context.Context, dir string, flags ...string) (output []byte, err error) {
	command := exec.CommandContext(ctx, "go", append([]string{"test", "-count=1", "-timeout=2h", "-run=^TestTrackRecord$", "."}, flags...)...)
	command.Dir = filepath.Join(root, dir)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	return command.CombinedOutput()
}

// jsonBelow returns the traces below a directory, in order.
func jsonBelow(dir string) (list []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".json") {
			list = append(list, path)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return list, err
}
