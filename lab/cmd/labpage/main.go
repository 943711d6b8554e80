// Command labpage makes docs/experiments.md: it runs all experiments with their defaults, in virtual time and on real
// servers, and writes the results.
//
//	make experiments
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"

	etcd "github.com/lockpick-dev/lockpick/etcd/builtin"
	"github.com/lockpick-dev/lockpick/lab/experiments"
	"github.com/lockpick-dev/lockpick/lab/labreport"
	mysql "github.com/lockpick-dev/lockpick/mysql/builtin"
	redis "github.com/lockpick-dev/lockpick/stores/redis/builtin"
	zookeeper "github.com/lockpick-dev/lockpick/zookeeper/builtin"
)

func main() {
	output := flag.String("o", "", "the page to write; without it the page is printed")
	seeds := flag.Int("seeds", 0, "how many seeds each experiment takes; 0 for its own number")
	real := flag.String("real", "hotspot,random-sleep,retry,segments,herd,load,optimistic", "the experiments to run on real servers, with commas; all (which takes more than an hour) or none")
	only := flag.String("only", "", "the experiments to run, with commas; those of the page that -o names stay as they are. Empty for all")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var before []byte
	if *only != "" && *output != "" {
		before, _ = os.ReadFile(*output) // none: the page has what is run
	}
	page, err := write(ctx, sections(before), *only, *real, *seeds)
	stop()
	if err == nil && *output == "" {
		_, err = os.Stdout.Write(page)
	} else if err == nil {
		err = os.WriteFile(*output, page, 0o644) //nolint:gosec // a page is for everybody
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "labpage:", err)
		os.Exit(1)
	}
}

// preface begins the page.
const preface = `# Experiments

Made by ` + "`make experiments`" + `. Each experiment runs in virtual time, with the seeds that its command says; figures are medians over
the seeds. Requests take servers what was measured on real ones (` + "`make lab-costs`" + `, lab/experiments/costs_measured.go), and the network
is a distribution of latencies that the experiment states. "Document" is the published figure. "Real" was measured on real servers
on one machine, over its loopback interface; the ratio beside it is that of a simulation over such a network.

`

// sections returns the sections of a page, by the experiment, each with the line that begins it.
func sections(page []byte) map[string]string {
	found := map[string]string{}
	for _, s := range strings.Split(string(page), "\n"+section)[1:] {
		id, _, _ := strings.Cut(s, "\n")
		found[id] = section + strings.TrimRight(s, "\n") + "\n"
	}
	return found
}

// section begins the section of an experiment.
const section = "## "

// write makes the page. The sections of experiments that do not run stay as they were.
func write(ctx context.Context, before map[string]string, only, real string, seeds int) ([]byte, error) {
	if only != "" {
		for id := range strings.SplitSeq(only, ",") {
			if _, err := experiments.Find(id); err != nil {
				return nil, err
			}
		}
	}
	var page bytes.Buffer
	page.WriteString(preface)
	for _, e := range experiments.All {
		if only != "" && !listed(only, e.ID) {
			if kept, there := before[e.ID]; there {
				page.WriteString(kept + "\n")
			}
			continue
		}
		fmt.Fprintln(os.Stderr, e.ID)
		report, err := run(ctx, e, real == "all" || listed(real, e.ID), seeds)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.ID, err)
		}
		if err := report.Markdown(&page); err != nil {
			return nil, err
		}
		page.WriteByte('\n')
	}
	return append(bytes.TrimRight(page.Bytes(), "\n"), '\n'), nil
}

func listed(list, id string) bool { return slices.Contains(strings.Split(list, ","), id) }

// run runs an experiment with its defaults.
func run(ctx context.Context, e *experiments.Experiment, real bool, seeds int) (*labreport.Report, error) {
	locks := slices.Concat(redis.Locks(), zookeeper.Locks(), mysql.Locks(), etcd.Locks())
	command := "simrun experiment " + e.ID
	if seeds == 0 {
		seeds = e.Seeds
	} else {
		command += fmt.Sprint(" --seeds ", seeds)
	}
	results, err := experiments.Here(ctx, e, e.Defaults(), locks, 1, seeds)
	if err != nil {
		return nil, err
	}
	var notes []string
	switch {
	case real && e.Virtual != "":
		notes = []string{"It runs in virtual time only: " + e.Virtual}
	case real:
		command += " --real"
		notes, err = results.Compare(ctx, locks, func(done, total int) { fmt.Fprintf(os.Stderr, "real: %d of %d\n", done, total) })
		if err != nil {
			return nil, err
		}
	}
	report := e.Report(results)
	report.Experiment, report.Question, report.Source, report.Command = e.ID, e.Question, e.Source, command
	report.Notes = append(report.Notes, notes...)
	return &report, nil
}
