package trial

import (
	"context"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Arm is a way to look for bugs.
type Arm interface {
	// ID is a letter, Name a short name, and About says what it does, with its settings.
	ID() string
	Name() string
	About() string
	// Waits is set if its tries mostly wait, so that several of them may run side by side on one processor.
	Waits() bool
	// Try looks for the job's bug until it finds it, has no more to try, or the context ends. An error is one of the machine: a
	// server that is not installed or a process that does not start.
	Try(ctx context.Context, j *Job) (Outcome, error)
	// Replay makes the outcome of a try that has found the bug happen again, n times or until the context ends. It counts them in
	// the outcome's Replays, and in Shown those that show the bug.
	Replay(ctx context.Context, j *Job, o *Outcome, n int) error
}

// Job is what a try is about.
type Job struct {
	*Bug
	Version string
	Seed    uint64
	// Began is when the try began.
	Began time.Time
	// Trace is the file for the run that shows the bug, empty for none. Arms on real servers write it.
	Trace string

	bugs []*Bug
}

// Outcome is the result of a try.
type Outcome struct {
	Bug     string `json:"bug"`
	Version string `json:"version"`
	Arm     string `json:"arm"`
	Seed    uint64 `json:"seed"`
	// Found is set if the bug's property was violated as the bug says. Done is set if the arm had no more to try.
	Found bool `json:"found"`
	Done  bool `json:"done,omitempty"`
	// Seconds is the time until it was found, or until the end. Processor is the processor time of all processes, in seconds.
	Seconds   float64 `json:"seconds"`
	Processor float64 `json:"processor"`
	// Tried is the number of schedules, or of acquisitions, and Unit says which.
	Tried int    `json:"tried"`
	Unit  string `json:"unit"`
	// Where is the scenario, or the round, and Sentence what happened.
	Where    string `json:"where,omitempty"`
	Sentence string `json:"sentence,omitempty"`
	// Shown is in how many of Replays replays it was shown again. They may be fewer than were asked for, if they take long.
	Shown   int `json:"shown,omitempty"`
	Replays int `json:"replays,omitempty"`
	// Commit is that of the source, empty if it is the run's.
	Commit string `json:"commit,omitempty"`
	// Server and Error are the server's version, and why there is no result.
	Server string `json:"server,omitempty"`
	Error  string `json:"error,omitempty"`

	replay any
}

// Keep keeps what a replay needs, and Kept returns it.
func (o *Outcome) Keep(what any) { o.replay = what }

// Kept returns what Keep has kept.
func (o *Outcome) Kept() any { return o.replay }

// registry has the locks of all bugs, in all scenarios.
func (j *Job) registry() cell.Registry { return scenarios.Registry(locks(j.bugs)) }

// Cells returns the cells of a simulated search: each scenario that applies, in the order of go test.
func (j *Job) Cells() (list []cell.Cell, err error) {
	l, err := j.Lock(j.Version)
	if err != nil {
		return nil, err
	}
	r := j.registry()
	for _, s := range r.Scenarios {
		c, err := r.Cell(s.ID, l.ID, slices.Concat(j.Parameters, j.Simulated))
		if err != nil {
			continue // a parameter that the scenario does not have
		}
		if c.Lacks() == "" {
			list = append(list, c)
		}
	}
	return list, nil
}

// RealCell returns the cell of runs on real servers: a scenario without faults, with leases and clients of lockbench. Each server
// has that number of followers, or more if the lock needs them.
func (j *Job) RealCell(followers int) (cell.Cell, error) {
	l, err := j.Lock(j.Version)
	if err != nil {
		return cell.Cell{}, err
	}
	usual := []traces.Parameter{{Name: "ttl", Value: Lease.String()}, {Name: "clients", Value: "4"}, {Name: "sizes", Value: "0"}}
	c, err := j.registry().Cell("contention", l.ID, slices.Concat(usual, j.Parameters, j.Stressed))
	if err != nil {
		return c, err
	}
	c.Params.Followers = followers
	c.Params = l.AtLeast(c.Params)
	return c, nil
}

// Lease is the length of leases on real servers. A store with a longer shortest lease has that.
const Lease = 500 * time.Millisecond

// Worker is the worker process of a simulated search.
func (j *Job) Worker() (explore.Worker, error) {
	return explore.Self(workerWord)
}

// Client is the program of client processes.
func (j *Job) Client() (realclient.Program, error) {
	w, err := explore.Self(clientWord)
	return realclient.Program{Command: w.Command}, err
}

// Since returns the seconds since the try began.
func (j *Job) Since() float64 { return time.Since(j.Began).Seconds() }
