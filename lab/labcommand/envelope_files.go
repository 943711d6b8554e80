package labcommand

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/lab/internal/envelope"
	"github.com/lockpick-dev/lockpick/traces"
)

// places refuses files that cannot have the requested content, and makes the directory for traces.
func (c *envelopeCmd) places() error {
	if err := command.Writable(c.Picture); err != nil {
		return err
	}
	switch strings.ToLower(filepath.Ext(c.Picture)) {
	case "", ".svg", ".html", ".htm":
		if c.Picture != "" && filepath.Ext(c.Picture) == "" {
			return fmt.Errorf("-o %s: want a name that ends with .svg or .html", c.Picture)
		}
	default:
		return fmt.Errorf("-o %s: want a name that ends with .svg or .html", c.Picture)
	}
	if err := os.MkdirAll(filepath.Clean(c.Out), 0o777); err != nil {
		return fmt.Errorf("the directory %s cannot be created: %w", c.Out, err)
	}
	return nil
}

// files writes the traces of the violations beside the border, and the picture.
func (c *envelopeCmd) files(j *job) error {
	j.Paths = map[*envelope.Result]string{}
	var wrong []*envelope.Result
	for _, m := range j.Maps {
		for i := range m.Lines {
			wrong = append(wrong, m.Lines[i].Wrong)
		}
	}
	for _, r := range append(wrong, j.Needs.Wrong) {
		if r == nil || j.Paths[r] != "" {
			continue
		}
		path := filepath.Join(c.Out, wording.FileName(j.Search.FileName(r))+".json")
		if err := traces.WriteFile(path, r.Trace); err != nil {
			return command.Usagef("a trace cannot be written: %w", err)
		}
		j.Paths[r] = path
	}
	if c.Picture == "" {
		return nil
	}
	draw := j.Page
	if strings.EqualFold(filepath.Ext(c.Picture), ".svg") {
		draw = func(w io.Writer) error { return envelope.SVG(w, j.Search, j.Rule, j.Maps) }
	}
	if err := traces.Replace(c.Picture, draw); err != nil {
		return command.Usagef("the picture cannot be written: %w", err)
	}
	return nil
}

// summary is the last object of --json.
type summary struct {
	Type       string   `json:"type"`
	Lock       string   `json:"lock"`
	Scenario   string   `json:"scenario"`
	Properties []string `json:"properties"`
	Runs       int      `json:"runs"`
	Seed       uint64   `json:"seed"`
	// Result is violation, none-found or vacuous.
	Result string `json:"result"`
	Again  string `json:"again"`
}

// json prints one object a line.
func (j *job) json(w io.Writer) error {
	out := json.NewEncoder(w)
	for _, m := range j.Maps {
		if err := out.Encode(m.Object(j.Search, j.Rule, j.Paths)); err != nil {
			return err
		}
	}
	if err := out.Encode(j.Needs.Object(j.Paths[j.Needs.Wrong])); err != nil {
		return err
	}
	s := j.Search
	return out.Encode(summary{"summary", s.Lock, s.Scenario, s.Properties, s.Runs, s.Seed, j.result(), j.Again})
}

// text prints the maps, what the lock needs, and the result.
func (c *envelopeCmd) text(a command.Host, j *job) error {
	out, paint := a.Out(), wording.Paint{On: a.Bold("x") != "x"}
	fmt.Fprintf(out, "%s  %s, seed %d\n\n", paint.Bold("envelope"), j.Search.Title(), c.Seed)
	for _, m := range j.Maps {
		m.Text(out, j.Search, j.Rule, paint, j.Paths)
	}
	for _, line := range wording.Wrap(j.Needs.Sentence(), 98) {
		fmt.Fprintln(out, paint.Bold(line))
	}
	fmt.Fprintf(out, "\n%s %s\n  none found means none in the schedules that were run; it is no proof\n", paint.Bold("result"), j.result())
	if path := j.Paths[j.Needs.Wrong]; path != "" {
		fmt.Fprintf(out, "  replay  %s replay %s\n", a.Program(), wording.ShellPath(path))
	}
	if c.Picture != "" {
		fmt.Fprintf(out, "  picture %s\n", c.Picture)
	}
	_, err := fmt.Fprintf(out, "  again   %s\n", j.Again)
	return err
}
