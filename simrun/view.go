package simrun

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// explainCmd tells a trace as text.
type explainCmd struct {
	Trace string `arg:"" help:"The trace file; simrun run writes it to simrun-out."`
	JSON  bool   `name:"json" help:"Print the explanation as one JSON object: simrun view --format json writes the same to a file."`

	Verbose bool `short:"v" help:"Say which line of the lock's code is behind each step."`
}

// Run prints the explanation.
func (c explainCmd) Run(a *app) error {
	t, err := readTrace(c.Trace)
	if err != nil {
		return err
	}
	if c.JSON {
		text, err := explained(t, a.replayWith(t, c.Trace))
		if err != nil {
			return err
		}
		_, err = wording.Data(a.out).Write(text)
		return err
	}
	if err := render.Explain(a.out, t, verbosely(a.out, c.Verbose)); err != nil {
		return err
	}
	if replay := a.replayWith(t, c.Trace); replay != "" {
		fmt.Fprintf(a.out, "replay  %s\n", replay)
	}
	_, err = fmt.Fprintf(a.out, "look    %s view %s\n", a.name, wording.ShellPath(c.Trace))
	return err
}

// viewCmd makes the picture, or gives the trace to another program.
type viewCmd struct {
	Trace  string `arg:"" help:"The trace file; simrun run writes it to simrun-out."`
	Out    string `short:"o" help:"The file to write (default: the trace's name with the format's ending; - for standard output). Its ending says the format, without --format." placeholder:"FILE"`
	Format string `help:"What to write: ${formats}." placeholder:"FORMAT"`
}

// formatHelp lists the formats.
func formatHelp() string {
	var list []string
	for _, f := range render.Formats() {
		list = append(list, fmt.Sprintf("%s (%s): %s", f.Name, f.Ending, f.About))
	}
	return strings.Join(list, "; ")
}

// Run writes the file.
func (c viewCmd) Run(a *app) error {
	format, err := c.format()
	if err != nil {
		return err
	}
	t, err := readTrace(c.Trace)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := format.Write(&page, t, a.replayWith(t, c.Trace)); err != nil {
		return err
	}
	if c.Out == "-" {
		_, err := wording.Data(a.out).Write(page.Bytes())
		return err
	}
	out := c.Out
	if out == "" {
		out = strings.TrimSuffix(c.Trace, filepath.Ext(c.Trace)) + format.Ending
		if sameFile(out, c.Trace) {
			out = strings.TrimSuffix(out, format.Ending) + "." + format.Name + format.Ending
		}
	}
	if sameFile(out, c.Trace) {
		return usageError{fmt.Errorf("%s is the trace itself: name another file for the picture with -o", out)}
	}
	err = traces.Replace(out, func(w io.Writer) error {
		_, err := w.Write(page.Bytes())
		return err
	})
	if err != nil {
		return usageError{fmt.Errorf("the picture cannot be written: %w", err)}
	}
	fmt.Fprintf(a.out, "wrote %s: %s\n", out, format.About)
	return nil
}

// format is the one that is asked for: a page, unless a name or a file's ending says otherwise.
func (c viewCmd) format() (render.Format, error) {
	if c.Format == "" && (c.Out == "" || c.Out == "-") {
		return render.Formats()[0], nil
	}
	f, err := render.FormatOf(c.Format, c.Out)
	if err != nil {
		return f, usageError{err}
	}
	return f, nil
}
