package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/playground"
	"github.com/lockpick-dev/lockpick/internal/playground/page"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/builtin"
)

const (
	program = "lockpick.wasm"
	source  = "github.com/lockpick-dev/lockpick/internal/playground/wasm"
)

// compared are searches whose first runs the page can compare with this machine's: one on each store, and one of fenced leases.
var compared = []playground.Search{
	{Scenario: "gc-pause", Lock: "setpx-fenced", Seed: 1, Schedules: 20},
	{Scenario: "failover-loss", Lock: "redlock", Seed: 1, Schedules: 20},
	{Scenario: "session-expiry", Lock: "zookeeper", Seed: 1, Schedules: 20},
	{Scenario: "deadlock", Lock: "db-row", Seed: 1, Schedules: 20},
	{Scenario: "gc-pause", Lock: "file-excl", Seed: 1, Schedules: 20},
}

func main() {
	dir := flag.String("o", "bin/playground", "the directory to write; what is in it is replaced")
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
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	raw, packed, err := compile(dir, goCommand)
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
	c.Program.Size, c.Program.Packed = raw, packed
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "catalogue.json"), text, 0o666); err != nil {
		return err
	}
	fmt.Printf("%s: the program has %.1f MB, compressed %.1f MB; the catalogue %d kB\n", dir, float64(raw)/1e6, float64(packed)/1e6, len(text)/1000)
	return nil
}

// compile builds the program, as it is and compressed, and returns the sizes of both.
func compile(dir, goCommand string) (raw, packed int64, err error) {
	scratch, err := os.MkdirTemp("", "playground")
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = os.RemoveAll(scratch) }() // what is left is small
	mod, err := modfile(scratch, goCommand)
	if err != nil {
		return 0, 0, err
	}
	out := filepath.Join(dir, program)
	cmd := exec.Command(goCommand, "build", "-trimpath", "-modfile", mod, "-ldflags", "-s -w", "-o", out, source)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", cmd, err)
	}
	code, err := os.ReadFile(out)
	if err != nil {
		return 0, 0, err
	}
	var zipped bytes.Buffer
	z, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		return 0, 0, err
	}
	if _, err := z.Write(code); err != nil {
		return 0, 0, err
	}
	if err := z.Close(); err != nil {
		return 0, 0, err
	}
	return int64(len(code)), int64(zipped.Len()), os.WriteFile(out+".gz", zipped.Bytes(), 0o666)
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
