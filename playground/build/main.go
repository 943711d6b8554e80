package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/lab/builtin"
	"github.com/lockpick-dev/lockpick/playground"
	"github.com/lockpick-dev/lockpick/playground/page"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// programs are the sources of the programs, by the names that the page knows them by.
var programs = map[string]string{
	"lockpick": "github.com/lockpick-dev/lockpick/playground/wasm",
	"drawing":  "github.com/lockpick-dev/lockpick/playground/drawing/wasm",
}

// compared are searches whose first runs the page can compare with this machine's: one on each store, and one of fenced leases.
var compared = []playground.Search{
	{Scenario: "gc-pause", Lock: "setpx-fenced", Seed: 1, Schedules: 20},
	{Scenario: "failover-loss", Lock: "redlock", Seed: 1, Schedules: 20},
	{Scenario: "session-expiry", Lock: "zookeeper", Seed: 1, Schedules: 20},
	{Scenario: "deadlock", Lock: "db-row", Seed: 1, Schedules: 20},
	{Scenario: "gc-pause", Lock: "pg-lease", Seed: 1, Schedules: 20},
	{Scenario: "gc-pause", Lock: "file-excl", Seed: 1, Schedules: 20},
	{Scenario: "server-errors", Lock: "kube-lease", Seed: 1, Schedules: 20},
	{Scenario: "server-errors", Lock: "s3-lease", Seed: 1, Schedules: 20},
}

func main() {
	dir := flag.String("o", "../bin/playground", "the directory to write; what is in it is replaced")
	goCommand := flag.String("go", "go", "the go command")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "build: %q was not expected: the directory is named by -o\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := build(*dir, *goCommand); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

// build writes the directory.
func build(dir, goCommand string) error {
	if !testing.Testing() {
		return errors.New(`crypto/rand is not seeded, so that the hashes of runs over S3 would be useless: go run -ldflags="-X testing.testBinary=1" ./build`)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	sizes, err := compile(dir, goCommand)
	if err != nil {
		return err
	}
	if err := copyFiles(dir, goCommand); err != nil {
		return err
	}
	c, err := catalogue()
	if err != nil {
		return err
	}
	c.Programs = sizes
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "catalogue.json"), text, 0o666); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		fmt.Printf("%s: %s.wasm has %.1f MB, compressed %.1f MB\n", dir, name, float64(sizes[name].Size)/1e6, float64(sizes[name].Packed)/1e6)
	}
	fmt.Printf("%s: the catalogue has %d kB\n", dir, len(text)/1000)
	return nil
}

// compile builds the programs, as they are and compressed, and returns their sizes.
func compile(dir, goCommand string) (map[string]playground.Size, error) {
	scratch, err := os.MkdirTemp("", "playground")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(scratch) }() // what is left is small
	mod, err := modfile(scratch, goCommand)
	if err != nil {
		return nil, err
	}
	sizes := map[string]playground.Size{}
	for name, source := range programs { // unordered: each by itself
		out := filepath.Join(dir, name+".wasm")
		cmd := exec.Command(goCommand, "build", "-trimpath", "-modfile", mod, "-ldflags", "-s -w -X testing.testBinary=1", "-o", out, source)
		cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("%s: %w", cmd, err)
		}
		if sizes[name], err = pack(out); err != nil {
			return nil, err
		}
	}
	return sizes, nil
}

// pack compresses a program, and returns its sizes.
func pack(file string) (size playground.Size, err error) {
	code, err := os.ReadFile(file)
	if err != nil {
		return size, err
	}
	var zipped bytes.Buffer
	z, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		return size, err
	}
	if _, err := z.Write(code); err != nil {
		return size, err
	}
	if err := z.Close(); err != nil {
		return size, err
	}
	size = playground.Size{Size: int64(len(code)), Packed: int64(zipped.Len())}
	return size, os.WriteFile(file+".gz", zipped.Bytes(), 0o666)
}

// copyFiles copies the page and Go's own script for such programs.
func copyFiles(dir, goCommand string) error {
	root, err := exec.Command(goCommand, "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("%s env GOROOT: %w", goCommand, err)
	}
	const script = "wasm_exec.js"
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", script))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, script), text, 0o666); err != nil {
		return err
	}
	return fs.WalkDir(page.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := page.Files.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name), text, 0o666)
	})
}

// catalogue is what can be chosen, with hashes of runs that this machine makes.
func catalogue() (*playground.Catalogue, error) {
	known := scenarios.Registry(builtin.Locks())
	c := playground.NewCatalogue(known)
	s := &playground.Session{Known: known, Worker: explore.Worker{Here: &explore.Here{Resolve: known.Resolve, Watched: true}}}
	return c, c.AddKnown(context.Background(), s, compared)
}
