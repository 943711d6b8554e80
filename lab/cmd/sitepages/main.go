// Command sitepages makes the contents of Lockpick's site for Hugo, from the project's documents, locks, scenarios,
// properties, counterexamples and packages.
//
//	make site
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"

	"github.com/lockpick-dev/lockpick/lab/internal/sitepages"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// worker is the argument with which the program runs itself, to run schedules.
const worker = "worker"

func main() {
	if len(os.Args) == 2 && os.Args[1] == worker {
		fail(explore.ServeStdio(sitepages.Known().Resolve))
		return
	}
	root := flag.String("root", "..", "the directory of the project")
	output := flag.String("o", "", "the directory to write; what sitepages wrote there before is removed")
	jobs := flag.Int("jobs", runtime.NumCPU(), "how many worker processes search; the pages do not depend on it")
	flag.Parse()
	if *output == "" || flag.NArg() > 0 {
		fail(errors.New("name the directory to write: sitepages -o DIR"))
	}
	self, err := explore.Self(worker)
	fail(err)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	self.Kept = &explore.Kept{}
	err = sitepages.Write(ctx, sitepages.Options{
		Root: *root, Out: *output, Worker: self, Jobs: *jobs,
		Progress: func(what string) { fmt.Fprintln(os.Stderr, "sitepages:", what) },
	})
	self.Kept.Close()
	fail(err)
}

// fail ends the program with an error, unless there is none.
func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "sitepages:", err)
		os.Exit(1)
	}
}
