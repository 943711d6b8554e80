package labcommand

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/lab/experiments"
	"github.com/lockpick-dev/lockpick/lab/labreport"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// name is the name of the command.
const name = "experiment"

// Experiment returns the command, for simrun.Commands.
func Experiment() command.Command {
	return command.Command{
		Name: name, Help: "Measure locks: how long they wait and what they cost, as published experiments do.", Grammar: &experimentCmd{},
		Runner: func(raw json.RawMessage, locks []cell.Lock) (explore.Runner, error) {
			if job := experiments.JobOf(raw); job != nil {
				return job.Runner(locks)
			}
			return nil, nil
		},
		Recorded: func(t *traces.Trace, locks []cell.Lock) (*command.Recorded, error) {
			job, err := experiments.JobOfTrace(t, locks)
			if err != nil {
				return nil, err
			}
			return &command.Recorded{Job: job.Encode(), Trace: func(o explore.Outcome) (*traces.Trace, error) {
				return job.Trace(locks, t.Seed, t.Experiment.From, o)
			}}, nil
		},
		Complete: complete,
		Argument: func() string { return "an experiment, or list: " + strings.Join(experiments.IDs(), ", ") },
	}
}

// complete returns the candidates for the last of the words: experiments, or variants or parameters of the experiment in
// the words.
func complete(words []string, locks []cell.Lock) (names []string) {
	if len(words) == 2 {
		return append([]string{"list"}, experiments.IDs()...)
	}
	at := slices.IndexFunc(words[1:], func(w string) bool { _, err := experiments.Find(w); return err == nil })
	if at < 0 {
		return nil
	}
	e, _ := experiments.Find(words[1+at]) // there is one
	switch words[len(words)-2] {
	case "--variant":
		names, _ = e.VariantNames(locks) // none on an error
	case "-p", "--param":
		for _, s := range e.Settings {
			names = append(names, s.Name+"=")
		}
	}
	return names
}

// experimentCmd measures locks, in virtual time and on real servers.
type experimentCmd struct {
	Name  string   `arg:"" help:"The experiment, or list to list them all with their parameters."`
	Param []string `short:"p" sep:"none" help:"Set a parameter of the experiment, as name=value; may be repeated. simrun experiment list shows the defaults." placeholder:"NAME=VALUE"`
	Seed  uint64   `default:"${seed}" help:"The first seed: the same seed, the same run (default ${default})." placeholder:"S"`
	Seeds *int     `help:"How many seeds to run of each variant, 1 to 10000 (default: the experiment says it)." placeholder:"N"`
	Jobs  int      `default:"${cpus}" help:"How many worker processes to use, 1 to 256 (default: one for each core, ${cpus} here). Results do not depend on it." placeholder:"J"`
	Real  bool     `help:"Run it on real servers besides, which are started on free ports of this machine, and stopped at the end."`
	JSON  bool     `name:"json" help:"Print the report as one JSON object."`
	CSV   string   `name:"csv" help:"Write the figures to this file: a line for each table, variant and measure." placeholder:"FILE"`
	Page  string   `short:"o" help:"Write the report with its plots to this self-contained, offline HTML file." placeholder:"FILE"`
	oneRunFlags
}

// Validate checks what kong cannot.
func (c *experimentCmd) Validate() error {
	switch {
	case c.Seeds != nil && (*c.Seeds < 1 || *c.Seeds > 10_000):
		return fmt.Errorf("--seeds=%d: want 1 to 10000", *c.Seeds)
	case c.Jobs < 1 || c.Jobs > 256:
		return fmt.Errorf("--jobs=%d: want 1 to 256", c.Jobs)
	case c.asked() && (c.Real || c.JSON || c.CSV != "" || c.Page != "" || c.Seeds != nil):
		return fmt.Errorf("--draw and --trace show one run: leave out --seeds, --real, --json, --csv and -o")
	}
	return c.oneRunFlags.validate()
}

// Run lists the experiments, makes one, or shows a single run of one.
func (c *experimentCmd) Run(ctx context.Context, a command.Host) error {
	if c.Name == "list" {
		return c.list(a)
	}
	e, values, err := c.choose()
	if err != nil {
		return command.Usage{Err: err}
	}
	if c.asked() {
		return c.oneRun(ctx, a, e, values)
	}
	if err := c.places(); err != nil {
		return command.Usage{Err: err}
	}
	if c.Seeds == nil {
		c.Seeds = &e.Seeds
	}
	report, err := c.measure(ctx, a, e, values)
	if err != nil {
		return err
	}
	if err := c.files(&report); err != nil {
		return command.Usage{Err: err}
	}
	if c.JSON {
		return report.JSON(wording.Data(a.Out()))
	}
	if err := report.Text(a.Out(), labreport.Style{Color: a.Bold("x") != "x", Width: 100}); err != nil {
		return err
	}
	if c.Page != "" {
		fmt.Fprintf(a.Out(), "\nwrote %s: open it in a browser\n", c.Page)
	}
	return nil
}

// choose returns the experiment with its values.
func (c *experimentCmd) choose() (*experiments.Experiment, experiments.Values, error) {
	e, err := experiments.Find(c.Name)
	if err != nil {
		return nil, nil, err
	}
	values := e.Defaults()
	for _, s := range c.Param {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return nil, nil, fmt.Errorf("--param %q: want name=value, such as %s", s, e.Example())
		}
		if err := e.Set(values, name, value); err != nil {
			return nil, nil, err
		}
	}
	return e, values, e.Usable(values)
}

// longOnServers is the duration from which real runs are announced before they begin.
const longOnServers = 2 * time.Minute

// measure makes all runs of the experiment, and shows its progress.
func (c *experimentCmd) measure(ctx context.Context, a command.Host, e *experiments.Experiment, values experiments.Values) (labreport.Report, error) {
	runs, clear := a.Progress()
	defer clear()
	variants, err := e.Variants(values, a.Locks())
	if err != nil {
		return labreport.Report{}, command.Usage{Err: err}
	}
	if takes := experiments.RealTakes(variants); c.Real && takes > longOnServers {
		fmt.Fprintf(a.Err(), "simrun: on real servers the runs of %s take %v at least; fewer variants or shorter runs by -p take less (simrun experiment list)\n", e.ID, takes.Round(time.Second))
	}
	results, err := experiments.Spread(ctx, a.Worker(), c.Jobs, e, values, a.Locks(), c.Seed, *c.Seeds, runs(e.ID))
	if err != nil {
		return labreport.Report{}, err
	}
	var notes []string
	if c.Real {
		if notes, err = results.Compare(ctx, a.Locks(), runs(e.ID+" on real servers")); err != nil {
			return labreport.Report{}, err
		}
	}
	report := e.Report(results)
	report.Notes = slices.Concat(results.Notes(), report.Notes, notes)
	report.Experiment, report.Question, report.Source = e.ID, e.Question, e.Source
	report.Seed, report.Seeds = c.Seed, *c.Seeds
	for _, s := range e.Settings {
		report.Settings = append(report.Settings, labreport.Setting{Name: s.Name, Value: s.Text(values[s.Name]), About: s.About})
	}
	report.Command = c.again(a, e, values)
	report.Look = look(a, e, values, results.Variants[0].Name, c.Seed) + " --draw run.html"
	return report, nil
}

// look returns the beginning of the command that shows one run.
func look(a command.Host, e *experiments.Experiment, values experiments.Values, variant string, seed uint64) string {
	words := []string{a.Program(), "experiment", e.ID}
	for _, w := range e.Unlike(values) {
		words = append(words, wording.Shell(w))
	}
	return strings.Join(append(words, "--variant", wording.Shell(variant), "--seed", fmt.Sprint(seed)), " ")
}

// again returns the command that makes the same report.
func (c *experimentCmd) again(a command.Host, e *experiments.Experiment, values experiments.Values) string {
	words := []string{a.Program(), "experiment", e.ID}
	for _, w := range e.Unlike(values) {
		words = append(words, wording.Shell(w))
	}
	words = append(words, "--seed", fmt.Sprint(c.Seed), "--seeds", fmt.Sprint(*c.Seeds))
	if c.Real {
		words = append(words, "--real")
	}
	return strings.Join(words, " ")
}

// places refuses files that cannot have the requested content.
func (c *experimentCmd) places() error {
	if err := command.Writable(c.Page, c.CSV); err != nil {
		return err
	}
	return command.IsPage("-o", c.Page)
}

// files writes the page and the table of figures.
func (c *experimentCmd) files(r *labreport.Report) error {
	for _, f := range []struct {
		path, what string
		write      func(io.Writer) error
	}{{c.Page, "page", r.Page}, {c.CSV, "table", r.CSV}} {
		if f.path == "" {
			continue
		}
		if err := traces.Replace(f.path, f.write); err != nil {
			return fmt.Errorf("the %s cannot be written: %w", f.what, err)
		}
	}
	return nil
}

// oneRunFlags select a single run to look at.
type oneRunFlags struct {
	Draw    string        `help:"Draw one run, that of --variant with --seed, to this HTML file." placeholder:"FILE"`
	Trace   string        `help:"Write a trace of that run, which simrun view, explain and replay read." placeholder:"FILE"`
	Variant string        `help:"The variant to show; simrun experiment list names them." placeholder:"NAME"`
	From    time.Duration `help:"Where in virtual time the picture begins, such as 1.5s (default: at the start)." placeholder:"T"`
	To      time.Duration `help:"Where the run is cut (default: after about 2,000 events)." placeholder:"T"`
}

// asked reports whether a single run is requested.
func (f *oneRunFlags) asked() bool { return f.Draw != "" || f.Trace != "" }

func (f *oneRunFlags) validate() error {
	switch {
	case !f.asked() && (f.Variant != "" || f.From != 0 || f.To != 0):
		return fmt.Errorf("--variant, --from and --to select the run that --draw or --trace shows: name its file")
	case f.From < 0:
		return fmt.Errorf("--from=%v: want a time that is not negative", f.From)
	case f.To < 0 || f.To > 0 && f.To <= f.From:
		return fmt.Errorf("--to=%v: want a time after --from=%v", f.To, f.From)
	}
	return nil
}
