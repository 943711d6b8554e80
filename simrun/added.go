package simrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// host is the program for the commands of other modules.
type host struct{ *app }

func (h host) Program() string { return h.name }
func (h host) Out() io.Writer  { return h.app.out }
func (h host) Err() io.Writer  { return h.app.err }

func (h host) Locks() []cell.Lock       { return h.locks }
func (h host) Worker() explore.Worker   { return h.worker }
func (h host) Bold(text string) string  { return painter(h.app.out).Bold(text) }
func (h host) Faint(text string) string { return painter(h.app.out).Faint(text) }

// Style is how the program explains traces.
func (h host) Style() render.Style { return style(h.app.out) }

// Read reads the trace that a command line names, and returns its path.
func (h host) Read(ctx context.Context, name string) (*traces.Trace, string, error) {
	return read(ctx, name)
}

// Client returns the program of client processes that have the lock of a trace: this one, or the test binary.
func (h host) Client(ctx context.Context, t *traces.Trace, path, done string) (command.Client, error) {
	if !h.needsTest(t) {
		if _, err := h.registry().Of(t); err != nil {
			return command.Client{}, command.Usagef("%s cannot be %s here: %w", path, done, err)
		}
		self := realclient.Program{Command: append(slices.Clone(h.worker.Command[:1]), "client"), Env: h.worker.Env}
		return command.Client{Program: self, Close: func() {}}, nil
	}
	b, remove, err := testBinary(ctx, t, path)
	if err != nil {
		return command.Client{}, err
	}
	c := command.Client{Package: t.Test.Package, Close: remove}
	c.Dir = b.Dir
	c.Command, c.Env = b.Client()
	return c, nil
}

// Progress returns functions that show the number of runs made, and clear that.
func (h host) Progress() (runs func(what string) func(done, total int), clear func()) {
	line := newLive(h.app.err)
	return func(what string) func(done, total int) {
		line.started = time.Now()
		return line.runs(what)
	}, line.clear
}

// runs returns a function that shows the number of runs made.
func (l *live) runs(what string) func(done, total int) {
	return func(done, total int) {
		l.show("%s %s %s of %s%s", what, bar(done, total), wording.Grouped(done), wording.GroupedCount(total, "run"), l.left(done, total))
	}
}

// bar draws a bar that is filled in part.
func bar(done, total int) string {
	const width = 30
	filled := width * done / max(total, 1)
	return strings.Repeat("█", filled) + strings.Repeat("░", width-filled)
}

// added returns the command of that name that another module has added, nil if there is none.
func (a *app) added(name string) *command.Command {
	i := slices.IndexFunc(a.commands, func(c command.Command) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &a.commands[i]
}

// Ask returns the search that a command line asks for.
func (h host) Ask(asked command.Asked) (command.Search, error) {
	c, err := h.cell(asked.Scenario, asked.Lock, asked.Parameters)
	if err != nil {
		return nil, command.Usage{Err: err}
	}
	id := identity{
		Kind: runKind, Scenario: asked.Scenario, Lock: asked.Lock, Parameters: c.Parameters(),
		Strategy: asked.Strategy, Seed: asked.Seed, Runs: asked.Runs, Versions: h.versions(),
	}
	if err := id.check(); err != nil {
		return nil, command.Usage{Err: err}
	}
	return &blocks{app: h.app, id: id, cell: c}, nil
}

// Restore returns the search with an identity.
func (h host) Restore(raw json.RawMessage, other string) (command.Search, error) {
	id, err := readIdentity(&explore.State{Identity: raw})
	if err == nil && id.Kind != runKind {
		err = errors.New("it is not a search by a strategy")
	}
	if err != nil {
		return nil, command.Usagef("%s cannot be read: %w", other, err)
	}
	here := id
	here.Versions = h.versions()
	if d := id.difference(&here, "there", "here"); d != "" {
		return nil, command.Usagef("%s cannot be searched here: %s", other, d)
	}
	c, err := h.registry().Restore(id.Scenario, id.Lock, id.Parameters)
	if err == nil {
		err = id.check()
	}
	if err != nil {
		return nil, command.Usagef("%s cannot be searched here: %w", other, err)
	}
	return &blocks{app: h.app, id: id, cell: c}, nil
}

// blocks is a search whose blocks are searched by others.
type blocks struct {
	*app
	id   identity
	cell cell.Cell
}

func (b *blocks) Identity() json.RawMessage { return b.id.encode() }
func (b *blocks) Schedules() int            { return b.id.Runs }
func (b *blocks) Blocks() int               { return explore.Blocks(b.id.Strategy, b.id.Runs) }

func (b *blocks) Title() string {
	return fmt.Sprintf("%s, %s %s, strategy %s, seed %d, %s", b.id.Scenario, b.cell.Noun(), b.id.Lock, b.id.Strategy, b.id.Seed, schedules(b.id.Runs))
}

func (b *blocks) Happenings() (names []string) {
	for _, h := range b.cell.Happenings() {
		names = append(names, h.Name)
	}
	return names
}

func (b *blocks) Differs(raw json.RawMessage, other string) (string, error) {
	id, err := readIdentity(&explore.State{Identity: raw})
	if err != nil {
		return "", command.Usagef("%s is damaged: %w", other, err)
	}
	return b.id.difference(&id, "here", "in "+other), nil
}

// Range searches some blocks. With the first of a search it makes its sample, as on one machine.
func (b *blocks) Range(ctx context.Context, r explore.Range, each func(int, explore.Tally)) (command.Ran, error) {
	var meter explore.Meter
	worker := b.worker
	worker.Meter = &meter
	searched := 0
	h := &hunt.Hunt{
		Search:   hunt.Search{Strategy: b.id.Strategy, Seed: b.id.Seed, Schedules: b.id.Runs, Range: r, Unconfirmed: true},
		Cell:     b.cell,
		Reducer:  hunt.Reducer{Worker: worker, Jobs: 1, Known: b.registry(), Effort: hunt.Usual},
		NoShrink: true,
		OnBlock:  func(n int, t explore.Tally) { searched++; each(n, t) },
	}
	got, err := h.Run(ctx)
	if err == nil && got.Interrupted {
		err = context.Cause(ctx)
	}
	return command.Ran{Spent: meter.Spent(), Sampled: err == nil && searched == 0}, err
}

// Conclude processes the findings of a search whose blocks were searched by others.
func (b *blocks) Conclude(ctx context.Context, c command.Conclusion) (files []string, err error) {
	flags := huntFlags{Jobs: c.Jobs, Out: c.Out, NoShrink: c.NoShrink, JSON: c.JSON, JUnit: c.JUnit, Stable: c.Stable}
	if err := flags.validate(); err != nil {
		return nil, usageError{err}
	}
	s := &session{app: b.app, huntFlags: flags, id: b.id, cell: b.cell, known: c.State, merging: c.Missing, joined: !c.Sampled}
	if c.Sampled {
		s.known = nil
	}
	if c.Copy != nil {
		app := *b.app
		app.out = &teed{b.app.out, c.Copy}
		s.app = &app
	}
	err = s.run(ctx)
	if s.saved != nil {
		files = append(files, s.statePath())
	}
	for _, f := range s.found {
		files = append(files, f.path)
	}
	for _, path := range s.tapes { // unordered: sorted below
		files = append(files, path)
	}
	slices.Sort(files)
	return slices.DeleteFunc(slices.Compact(files), func(path string) bool { return path == "" }), err
}

// teed writes to two writers. It unwraps to the first, which may be a terminal.
type teed struct {
	io.Writer
	also io.Writer
}

func (c *teed) Write(p []byte) (int, error) {
	_, _ = c.also.Write(p) // it is the caller's
	return c.Writer.Write(p)
}

// Data returns the writer for output that programs read.
func (c *teed) Data() io.Writer { return &teed{wording.Data(c.Writer), c.also} }

// Unwrap returns the first writer.
func (c *teed) Unwrap() io.Writer { return c.Writer }

// checkAdded returns an error if a command that the program was given is invalid.
func (a *app) checkAdded() error {
	var wrong []error
	seen := map[string]bool{}
	for _, c := range a.commands {
		if seen[c.Name] || c.Name == "" || c.Grammar == nil {
			wrong = append(wrong, fmt.Errorf("simrun.Commands: the command %q has no name of its own, or no grammar", c.Name))
		}
		seen[c.Name] = true
	}
	return errors.Join(wrong...)
}
