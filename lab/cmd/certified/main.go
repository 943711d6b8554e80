// Command certified searches cells exhaustively, verifies the certificate of each, and writes docs/certified.md:
//
//	make certified
//
// The cells are in cells.txt, one in a line: the bound, the scenario, the lock, and parameters as name=value. A cell whose search does not
// exhaust its bound, or whose certificate does not hold, has no row, and the command fails.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/certificate"
	etcd "github.com/lockpick-dev/lockpick/etcd/builtin"
	"github.com/lockpick-dev/lockpick/lab/builtin"
	"github.com/lockpick-dev/lockpick/lab/experiments"
	"github.com/lockpick-dev/lockpick/scenarios"
)

//go:embed cells.txt
var cells string

// The page is these parts, with a table for each bound between them.
//
//go:embed page.md
var page string

// samples is how many schedules of each number of deviations above 1 are run again.
const samples = 300

func main() {
	simrun := flag.String("simrun", "../bin/simrun", "the program that searches")
	out := flag.String("o", "../docs/certified.md", "the page")
	dir := flag.String("dir", "../bin/certificates", "the directory for the certificates")
	flag.Parse()
	experiments.Quiet()
	if err := run(*simrun, *dir, *out); err != nil {
		fmt.Fprintln(os.Stderr, "certified:", err)
		os.Exit(1)
	}
}

func run(simrun, dir, out string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	rows := map[int][]row{}
	var failed []error
	began := time.Now()
	for line := range strings.Lines(cells) {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		r, err := cell(simrun, dir, strings.Fields(line))
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", strings.TrimSpace(line), err))
			continue
		}
		rows[r.c.Bound] = append(rows[r.c.Bound], r)
		fmt.Fprintf(os.Stderr, "%6s %s\n", time.Since(began).Round(time.Second), strings.TrimSpace(line))
	}
	text := strings.NewReplacer("{bound 2}", table(rows[2]), "{bound 3}", table(rows[3]), "{samples}", fmt.Sprint(samples)).Replace(page)
	return errors.Join(append(failed, os.WriteFile(out, []byte(text), 0o644))...)
}

// cell searches a cell and verifies its certificate.
func cell(simrun, dir string, words []string) (row, error) {
	c, err := certified(simrun, dir, words)
	if err != nil {
		return row{}, err
	}
	return verified(c)
}

// certified searches a cell and returns its certificate.
func certified(simrun, dir string, words []string) (*certificate.Certificate, error) {
	if len(words) < 3 {
		return nil, fmt.Errorf("want a bound, a scenario, a lock and parameters")
	}
	path := filepath.Join(dir, strings.NewReplacer("=", "-", "/", "-").Replace(strings.Join(words, "_"))+".json")
	if err := os.RemoveAll(path); err != nil {
		return nil, err
	}
	args := []string{"check", words[1], "--lock", words[2], "--bound", words[0], "--limit", "1000000", "--no-shrink", "--out", filepath.Join(dir, "out"), "--certificate", path}
	for _, p := range words[3:] {
		args = append(args, "-p", p)
	}
	said, err := exec.Command(simrun, args...).CombinedOutput() //nolint:gosec // the program and the cells are the project's own
	f, opened := os.Open(path)
	if opened != nil {
		return nil, fmt.Errorf("%w: %w\n%s", opened, err, said)
	}
	defer f.Close()
	return certificate.Read(f)
}

// row is a line of a table.
type row struct {
	c      *certificate.Certificate
	report certificate.Report
}

// verified verifies a certificate.
func verified(c *certificate.Certificate) (row, error) {
	locks := slices.Concat(builtin.Locks(), etcd.Locks())
	report, err := c.Verify(context.Background(), scenarios.Registry(locks), samples, 1)
	return row{c, report}, err
}

// table returns the rows as a table.
func table(rows []row) string {
	var b bytes.Buffer
	b.WriteString("| lock | scenario | clients, rounds | schedules run | classes | verified | limits of leases |\n|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		schedules := 0
		for _, l := range r.c.Levels {
			schedules += l.Run
		}
		verified := 0
		for _, n := range r.report.Runs {
			verified += n
		}
		fmt.Fprintf(&b, "| %s | %s | %s, %s | %d | %d | %d | %s |\n",
			r.c.Lock, r.c.Scenario, parameter(r.c, "clients"), parameter(r.c, "rounds"), schedules, len(r.c.Classes), verified, strings.Join(r.c.Limits, ", "))
	}
	return b.String()
}

func parameter(c *certificate.Certificate, name string) string {
	for _, p := range c.Parameters {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}
