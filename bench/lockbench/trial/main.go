package trial

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// The words with which a program is started as a process of a try, and for a try.
const (
	workerWord = "worker"
	clientWord = "client"
	TryWord    = "try"
)

// Main serves a process of a try, or makes a try, and reports whether the arguments ask for that.
func Main(args []string, bugs []*Bug, arms []Arm) (did bool, err error) {
	if len(args) == 0 {
		return false, nil
	}
	r := scenarios.Registry(locks(bugs))
	switch args[0] {
	case workerWord:
		return true, explore.ServeStdio(r.Resolve)
	case clientWord:
		return true, realclient.Serve(realclient.Locks{Decode: r.Decode})
	case TryWord:
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		o, err := try(ctx, args[1:], bugs, arms)
		if err != nil {
			return true, err
		}
		return true, json.NewEncoder(os.Stdout).Encode(o)
	}
	return false, nil
}

// try makes the try that flags name.
func try(ctx context.Context, args []string, bugs []*Bug, arms []Arm) (*Outcome, error) {
	flags := flag.NewFlagSet(TryWord, flag.ContinueOnError)
	id := flags.String("bug", "", "the `bug`")
	arm := flags.String("arm", "", "the `letter` of the arm")
	version := flags.String("version", Bad, "bad or good")
	seed := flags.Uint64("seed", 1, "the `seed`")
	limit := flags.Duration("limit", 5*time.Minute, "how `long` the try may take")
	replays := flags.Int("replays", 0, "how often to replay what is found")
	trace := flags.String("trace", "", "write the run on real servers that shows the bug to this `file`, for simrun explain and view")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	at := slices.IndexFunc(bugs, func(b *Bug) bool { return b.ID == *id })
	by := slices.IndexFunc(arms, func(a Arm) bool { return a.ID() == *arm })
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case at < 0:
		return nil, fmt.Errorf("there is no bug %q", *id)
	case bugs[at].Module != "":
		return nil, fmt.Errorf("the lock of %s is in the program %s: lockbench run builds it and makes its tries", *id, bugs[at].Module)
	case by < 0:
		return nil, fmt.Errorf("there is no arm %q", *arm)
	case *limit <= 0 || *replays < 0:
		return nil, fmt.Errorf("-limit %v and -replays %d: want more than 0, and 0 or more", *limit, *replays)
	}
	return Try(ctx, arms[by], &Job{Bug: bugs[at], Version: *version, Seed: *seed, Trace: *trace, bugs: bugs}, *limit, *replays)
}

// NewJob returns a job of a program with bugs.
func NewJob(b *Bug, version string, seed uint64, bugs []*Bug) *Job {
	return &Job{Bug: b, Version: version, Seed: seed, bugs: bugs}
}

// Try makes a try that may take a time, and replays what it finds.
func Try(ctx context.Context, a Arm, j *Job, limit time.Duration, replays int) (*Outcome, error) {
	if err := j.Check(); err != nil {
		return nil, err
	}
	j.Began = time.Now()
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	o, err := a.Try(limited, j)
	o.Bug, o.Version, o.Arm, o.Seed = j.ID, j.Version, a.ID(), j.Seed
	if err != nil && !(errors.Is(err, context.DeadlineExceeded) && limited.Err() != nil) {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if !o.Found {
		o.Seconds = j.Since()
		return &o, nil
	}
	o.Processor = spent()
	if replays == 0 {
		return &o, nil
	}
	limited, cancel = context.WithTimeout(ctx, time.Duration(replays)*replayLimit)
	defer cancel()
	if err := a.Replay(limited, j, &o, replays); err != nil && !(errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil) {
		return nil, err
	}
	return &o, nil
}

// replayLimit is how long a replay may take on average. A round in which a client is stuck takes longer, and so do servers that
// start again after it.
const replayLimit = 10 * time.Second

// spent returns the processor time of this process and of those that it has waited for, in seconds. Servers and client processes
// are among them once the stand is stopped.
func spent() float64 {
	total := time.Duration(0)
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			total += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return total.Seconds()
}
