package labcommand

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/lab/internal/envelope"
	"github.com/lockpick-dev/lockpick/traces"
)

// Envelope returns the command, for simrun.Commands.
func Envelope() command.Command {
	return command.Command{
		Name: "envelope", Help: "Map which lease, longest pause, round trip and error of a clock go together: the border between a violation and none found.", Grammar: &envelopeCmd{},
		Runner: envelope.Runner, Complete: completeEnvelope,
	}
}

// completeEnvelope returns the candidates for the value of a flag.
func completeEnvelope(words []string, locks []cell.Lock) (names []string) {
	switch words[len(words)-2] {
	case "--lock":
		for _, l := range locks {
			names = append(names, l.ID)
		}
	case "--store":
		for _, s := range cell.Stores(locks) {
			names = append(names, s.ID())
		}
	case "--scenario":
		names = envelope.Scenarios()
	case "--map":
		for _, p := range envelope.Planes() {
			names = append(names, p.String())
		}
	}
	return names
}

// envelopeCmd maps a lock.
type envelopeCmd struct {
	Lock     string   `default:"${lock}" help:"The lock (default ${default})." placeholder:"LOCK"`
	Store    string   `help:"Refuse a lock of another store." placeholder:"STORE"`
	Scenario string   `default:"gc-pause" help:"The scenario whose faults strike (default ${default})." placeholder:"SCENARIO"`
	Param    []string `short:"p" sep:"none" help:"Set another parameter of the scenario, as name=value; may be repeated. Runs have sizes=0: the size that the parameters set." placeholder:"NAME=VALUE"`
	Pause    string   `help:"Your longest pause of a client process, such as 1.2s (default: 1s)." placeholder:"D"`
	RTT      string   `name:"rtt" help:"Your longest round trip, such as 40ms (default: 2.4ms)." placeholder:"D"`
	Hold     string   `help:"How long a client works between its first and its last access, such as 100ms (the default)." placeholder:"D"`
	Drift    string   `help:"How slow or fast a clock of a client may be, such as 0.1% (default: none is)." placeholder:"R"`
	Map      []string `sep:"none" help:"The axes of a map, the vertical one first: lease, and one of pause, rtt, drift and hold; may be repeated (default: lease,pause and lease,rtt and lease,drift)." placeholder:"Y,X"`
	Bounds   []string `sep:"none" help:"The ends of an axis, such as lease=200ms..3s; may be repeated (default: around the values above)." placeholder:"AXIS=LOW..HIGH"`
	Columns  int      `default:"8" help:"How many columns a map has, 2 to 40 (default ${default})." placeholder:"N"`
	Checks   int      `default:"20" help:"How many random points to search on each side of the border, 0 to 1000 (default ${default})." placeholder:"N"`
	Property []string `help:"A property whose violation counts; may be repeated (default: no-lost-update, and overrun for a lock without a fence)." placeholder:"PROPERTY"`
	Runs     int      `default:"1000" help:"How many schedules to run of each point (default ${default}); fewer if one of them shows a violation." placeholder:"N"`
	Seed     uint64   `default:"${seed}" help:"The seed of the searches and of the random points: the same seed, the same map (default ${default})." placeholder:"S"`
	Jobs     int      `default:"${cpus}" help:"How many worker processes to use, 1 to 256 (default: one for each core, ${cpus} here). Maps do not depend on it." placeholder:"J"`
	Out      string   `default:"simrun-out" help:"The directory for the traces of the violations beside the border (default ${default})." placeholder:"DIR"`
	Picture  string   `short:"o" help:"Draw the maps to this file: an SVG, or an HTML page with what is printed." placeholder:"FILE"`
	JSON     bool     `name:"json" help:"Print one JSON object per line: maps, what the lock needs, then a summary."`
}

// Validate checks what kong cannot.
func (c *envelopeCmd) Validate() error {
	switch {
	case c.Runs < 1 || c.Runs > 1_000_000:
		return fmt.Errorf("--runs=%d: want 1 to 1000000", c.Runs)
	case c.Jobs < 1 || c.Jobs > 256:
		return fmt.Errorf("--jobs=%d: want 1 to 256", c.Jobs)
	case c.Columns < 2 || c.Columns > 40:
		return fmt.Errorf("--columns=%d: want 2 to 40", c.Columns)
	case c.Checks < 0 || c.Checks > 1000:
		return fmt.Errorf("--checks=%d: want 0 to 1000", c.Checks)
	}
	return nil
}

// Run makes the maps, prints them, and writes the traces and the picture.
func (c *envelopeCmd) Run(ctx context.Context, a command.Host) error {
	job, err := c.plan(a)
	if err != nil {
		return command.Usage{Err: err}
	}
	if err := c.places(); err != nil {
		return command.Usage{Err: err}
	}
	if err := c.look(ctx, a, job); err != nil {
		return err
	}
	if err := c.make(ctx, a, job); err != nil {
		return err
	}
	if err := c.files(job); err != nil {
		return err
	}
	if c.JSON {
		err = job.json(wording.Data(a.Out()))
	} else {
		err = c.text(a, job)
	}
	if err != nil {
		return err
	}
	if code := recorded.CodeOf(job.result()); code != 0 {
		return recorded.Exit(code)
	}
	return nil
}

// job is what a command line asks for, with its results.
type job struct {
	envelope.Report
	plans []envelope.Plan
	at    envelope.Point
	facts envelope.Facts
	lock  cell.Lock
	// needs has the bounds of the leases for what the lock needs.
	needs envelope.Bounds
}

// look makes calm runs, which show whether the lock can be mapped.
func (c *envelopeCmd) look(ctx context.Context, a command.Host, j *job) (err error) {
	s := j.Search
	if j.facts, err = s.Look(ctx, j.at.With(envelope.Lease, j.needs.Low)); err != nil {
		return err
	}
	switch {
	case j.facts.Unusable != "":
		fmt.Fprintf(a.Err(), "simrun: %s\n", j.facts.Unusable)
		return recorded.Exit(recorded.ExitTrouble)
	case !j.facts.Leased:
		return command.Usagef("the lock %s has no lease to map: a calm run of it is the same with a longer one", c.Lock)
	}
	j.Rule = j.facts.Rule
	for i, id := range s.Properties {
		if slices.Contains(s.Properties[:i], id) {
			return command.Usagef("--property=%s is given twice", id)
		}
		if !slices.Contains(j.facts.Judged, id) {
			return command.Usagef("--property=%s: it is not judged for the lock %s, only %s", id, c.Lock, wording.And(j.facts.Judged))
		}
	}
	if len(s.Properties) > 0 {
		return nil
	}
	usual := []string{"no-lost-update"}
	if !j.facts.Fenced {
		usual = append(usual, "overrun")
	}
	for _, id := range usual {
		if slices.Contains(j.facts.Judged, id) {
			s.Properties = append(s.Properties, id)
		}
	}
	if len(s.Properties) == 0 {
		return command.Usagef("neither no-lost-update nor overrun is judged for the lock %s: name what counts by --property, of %s", c.Lock, wording.Or(j.facts.Judged))
	}
	return nil
}

// make makes the maps, and shows the progress.
func (c *envelopeCmd) make(ctx context.Context, a command.Host, j *job) error {
	runs, clear := a.Progress()
	defer clear()
	progress, done := runs("points"), 0
	j.Search.OnPoint = func(*envelope.Result) {
		done++
		progress(done, max(done, j.guess()))
	}
	for _, p := range j.plans {
		m, err := j.Search.Make(ctx, p)
		if err != nil {
			return err
		}
		j.Maps = append(j.Maps, m)
	}
	var err error
	j.Needs, err = j.Search.Needs(ctx, j.at, j.needs, j.facts)
	return err
}

// guess guesses the number of points.
func (j *job) guess() (n int) {
	const column = 8 // two ends, and six halvings
	for _, p := range j.plans {
		n += p.Columns*column + 2*p.Checks
	}
	return n + column
}

// result is the result in one word: what was found at any point.
func (j *job) result() string {
	vacuous := 0
	for _, m := range j.Maps {
		if m.Any() {
			return "violation"
		}
		vacuous += m.Vacuous()
	}
	switch {
	case j.Needs.Exists || j.Needs.Everywhere:
		return "violation"
	case vacuous > 0:
		return "vacuous"
	}
	return "none-found"
}

// parameters reads the flags -p.
func (c *envelopeCmd) parameters() (list []traces.Parameter, err error) {
	for _, one := range c.Param {
		name, value, ok := strings.Cut(one, "=")
		if !ok {
			return nil, fmt.Errorf("--param %q: want name=value, such as clients=3", one)
		}
		switch name {
		case "ttl", "lease", "pause", "rtt", "drift":
			return nil, fmt.Errorf("--param %s: the axes set it; use --pause, --rtt, --drift, --hold or --bounds", name)
		}
		list = append(list, traces.Parameter{Name: name, Value: value})
	}
	return list, nil
}

// errProgram is the error for a program in place of a lock.
var errProgram = errors.New("it is a program: only locks have leases to map")
