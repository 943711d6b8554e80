// Command confirmed makes the counterexamples of traces/corpus, and those of the track record, happen on real servers, and fails if
// what comes of one is not what is expected (expected.go). It can write what came of them into a page.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/internal/test/testlocks"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/stores/builtin"
	"github.com/lockpick-dev/lockpick/traces"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "client" {
		exit(confirm.Serve(registry().Decode))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	exit(run(ctx, os.Args[1:]))
}

func exit(err error) {
	switch {
	case err == nil:
		os.Exit(0)
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	}
	fmt.Fprintln(os.Stderr, "confirmed:", err)
	os.Exit(1)
}

// registry has the locks of the corpus.
func registry() cell.Registry {
	return scenarios.Registry(append(builtin.Locks(), testlocks.All()...))
}

// job is what is asked for.
type job struct {
	effort confirm.Effort
	only   string
	real   string // the directory for real runs, empty for none
	client confirm.Program
	// programs are those that were built, by the directories of their modules.
	programs map[string]string
	rows     []row
	// surprises are what is not as expected.
	surprises []string
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("confirmed", flag.ContinueOnError)
	j := job{effort: confirm.Usual, programs: map[string]string{}}
	flags.IntVar(&j.effort.Tries, "tries", j.effort.Tries, "how many real `runs` to make of each trace")
	flags.IntVar(&j.effort.Need, "need", j.effort.Need, "in how `many` of them the violation must happen")
	flags.DurationVar(&j.effort.Limit, "limit", j.effort.Limit, "leave out traces whose violation comes `later`; runs take as long as in the trace")
	flags.StringVar(&j.only, "only", "", "only the traces and modules whose names contain this `word`")
	flags.StringVar(&j.real, "real", "", "write the real run of each trace of the corpus into this `directory`, for simrun explain and view")
	of := flags.String("of", "corpus", "which traces: those of the `corpus`, of the record (the track record, whose modules are searched first), or all")
	out := flags.String("o", "", "write the tables into this `page`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case *of != "corpus" && *of != "record" && *of != "all":
		return fmt.Errorf("-of=%s: want corpus, record or all", *of)
	case *out != "" && j.only != "":
		return errors.New("-o with -only: the table would have only these rows; leave one of the two out")
	case j.effort.Tries < 1 || j.effort.Tries > confirm.MostTries || j.effort.Need < 1 || j.effort.Need > j.effort.Tries:
		return fmt.Errorf("-tries=%d -need=%d: want tries from 1 to %d, and as many needed at most", j.effort.Tries, j.effort.Need, confirm.MostTries)
	}
	if *out != "" { // before minutes are spent
		if err := insert(*out, nil, j.effort); err != nil {
			return err
		}
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	j.client = confirm.Program{Command: []string{program, "client"}}
	err = j.all(ctx, *of)
	if *out != "" && ctx.Err() == nil {
		err = errors.Join(err, insert(*out, j.rows, j.effort)) // what was measured before an error is worth its time
	}
	if err != nil {
		return err
	}
	if len(j.surprises) > 0 {
		return fmt.Errorf("not as expected (internal/test/confirmed/expected.go):\n%s", strings.Join(j.surprises, "\n"))
	}
	if len(j.rows) == 0 {
		return fmt.Errorf("no trace has %q in its name", j.only)
	}
	return nil
}

// all takes all traces of a kind. A module of the track record that cannot be asked is told at the end.
func (j *job) all(ctx context.Context, of string) error {
	files, err := filepath.Glob("traces/corpus/*.json")
	if err != nil || len(files) == 0 {
		return errors.Join(err, errors.New("there is no traces/corpus here: run it in the project's directory"))
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if of == "record" || !strings.Contains(name, j.only) {
			continue
		}
		if err := j.corpus(ctx, name, file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	for _, m := range recorded {
		if of == "corpus" || !strings.Contains(m.dir, j.only) {
			continue
		}
		err := j.record(ctx, m)
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", m.dir, ctx.Err())
		}
		if err != nil {
			fmt.Printf("%-14s %s: %v\n", "not asked", m.dir, err)
			j.surprises = append(j.surprises, fmt.Sprintf("%s: %v", m.dir, err))
		}
	}
	return nil
}

// corpus takes a trace of the corpus.
func (j *job) corpus(ctx context.Context, name, file string) error {
	t, err := traces.ReadFile(file)
	if err != nil {
		return err
	}
	if v := t.Verdict(); v != nil && v.To.At > j.effort.Limit {
		fmt.Printf("%-14s %s: it takes %s, and -limit is %s\n", "left out", name, traces.Briefly(v.To.At), traces.Briefly(j.effort.Limit))
		return nil
	}
	c, err := registry().Of(t)
	if err != nil {
		return err
	}
	job := confirm.Confirmation{Cell: c, Trace: t, Client: j.client}
	job.Store, _ = confirm.On(c.Lock.Store)
	begin := time.Now()
	o, err := job.Run(ctx, j.effort)
	if err != nil {
		return err
	}
	j.add(row{Statement: job.Statement(file, o), name: name, took: time.Since(begin)})
	if j.real == "" || o.Real == nil {
		return nil
	}
	return traces.WriteFile(filepath.Join(j.real, name+".real.json"), o.Real)
}

// add tells what came of a trace, and compares it with what is expected.
func (j *job) add(r row) {
	fmt.Printf("%-14s %s: %s\n", r.Result, r.name, strings.ReplaceAll(r.said(), "; ", "\n               "))
	if text := surprise(r.name, r.Outcome); text != "" {
		j.surprises = append(j.surprises, text)
	}
	j.rows = append(j.rows, r)
}
