package main

import (
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

	"github.com/lockpick-dev/lockpick/confirm"
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
	{"examples/redsync", ""},
	{"examples/redislock", ""},
	{"examples/go-zookeeper", ""},
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
	said, _ := goTest(ctx, m.dir, "-simrun.out="+found) // a test that finds what it looks for may fail
	list, err := jsonBelow(found)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("its test has found nothing:\n%s", said)
	}
	if err != nil {
		return err
	}
	for _, file := range list {
		begin := time.Now()
		r, err := j.asked(ctx, m.dir, file)
		if err != nil {
			return err
		}
		sub := subtest(found, file)
		one := row{Statement: *r, name: m.dir + "/" + sub + strings.TrimSuffix(filepath.Base(file), ".json"), module: filepath.Base(m.dir)}
		if sub != "" {
			one.module += ": " + strings.ReplaceAll(strings.TrimSuffix(sub, "/"), "_", " ")
		}
		if m.repaired != "" && r.Of > 0 {
			moved, err := movedTo(ctx, m.repaired, file, work)
			if err == nil {
				one.control, err = j.asked(ctx, m.repaired, moved)
			}
			if err != nil {
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

// subtest is the part of a found trace's path that names the subtest, with a slash behind it, empty if there is none.
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

// asked has simrun confirm a trace of a module's test.
func (j *job) asked(ctx context.Context, dir, file string) (*confirm.Statement, error) {
	program, err := j.program(ctx, dir)
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, program, "confirm", "--json", fmt.Sprintf("--tries=%d", j.effort.Tries), fmt.Sprintf("--need=%d", j.effort.Need), "--limit="+j.effort.Limit.String(), file)
	command.Dir = dir
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	said, failed := command.Output() // it ends with the code of the result
	var r confirm.Statement
	if err := json.Unmarshal(said, &r); err != nil {
		var exit *exec.ExitError
		if errors.As(failed, &exit) {
			said = append(said, exit.Stderr...)
		}
		return nil, errors.Join(failed, fmt.Errorf("it says nothing of %s:\n%s", file, said))
	}
	return &r, nil
}

// movedTo is a copy of a trace for the test of the same name in another module.
func movedTo(ctx context.Context, dir, file, work string) (string, error) {
	t, err := traces.ReadFile(file)
	if err != nil {
		return "", err
	}
	list := exec.CommandContext(ctx, "go", "list", ".")
	list.Dir = dir
	pkg, err := list.Output()
	if err != nil {
		return "", err
	}
	t.Test.Package = strings.TrimSpace(string(pkg))
	moved := filepath.Join(work, "repaired.json")
	return moved, traces.WriteFile(moved, t)
}

// program builds the program simrun that has the store of a module.
func (j *job) program(ctx context.Context, dir string) (string, error) {
	at := "."
	if strings.Contains(dir, "etcd") {
		at = "etcd"
	}
	if path := j.programs[at]; path != "" {
		return path, nil
	}
	work, err := os.MkdirTemp("", "lockpick-simrun")
	if err != nil {
		return "", err
	}
	path := filepath.Join(work, "simrun")
	command := exec.CommandContext(ctx, "go", "build", "-o", path, "./cmd/simrun")
	command.Dir = at
	if said, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("simrun cannot be built: %w\n%s", err, said)
	}
	j.programs[at] = path
	return path, nil
}

// goTest runs the test of the track record in a module.
func goTest(ctx context.Context, dir string, flags ...string) (said []byte, err error) {
	command := exec.CommandContext(ctx, "go", append([]string{"test", "-count=1", "-timeout=2h", "-run=^TestTrackRecord$", "."}, flags...)...)
	command.Dir = dir
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	return command.CombinedOutput()
}

// jsonBelow are the traces below a directory, in order.
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
