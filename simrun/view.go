package simrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// explainCmd explains a trace as text.
type explainCmd struct {
	Trace string `arg:"" help:"The trace file; simrun run writes it to simrun-out."`
	JSON  bool   `name:"json" help:"Print the explanation as one JSON object: simrun view --format json writes the same to a file."`

	Verbose bool `short:"v" help:"Show the line of the lock's code behind each step."`
}

// Run prints the explanation.
func (c explainCmd) Run(ctx context.Context, a *app) (err error) {
	var t *traces.Trace
	if t, c.Trace, err = read(ctx, c.Trace); err != nil {
		return err
	}
	if c.JSON {
		text, err := recorded.Explained(t, a.replayWith(t, c.Trace))
		if err != nil {
			return err
		}
		_, err = wording.Data(a.out).Write(text)
		return err
	}
	if err := render.Explain(a.out, t, a.host().Style(c.Verbose)); err != nil {
		return err
	}
	if replay := a.replayWith(t, c.Trace); replay != "" {
		fmt.Fprintf(a.out, "replay  %s\n", replay)
	}
	_, err = fmt.Fprintf(a.out, "look    %s view %s\n", a.name, wording.ShellPath(c.Trace))
	return err
}

// viewCmd makes the picture, or converts the trace for another program.
type viewCmd struct {
	Traces []string `arg:"" name:"trace" help:"The trace files; simrun run writes them to simrun-out."`
	Open   bool     `help:"Open the result in the browser."`
	Out    string   `short:"o" help:"The file to write (default: the trace's name with the format's ending; - for standard output). Without --format, its ending determines the format." placeholder:"FILE"`
	Format string   `help:"What to write: ${formats}." placeholder:"FORMAT"`
}

// formatHelp lists the formats.
func formatHelp() string {
	var list []string
	for _, f := range render.Formats() {
		list = append(list, fmt.Sprintf("%s (%s): %s", f.Name, f.Ending, f.About))
	}
	return strings.Join(list, "; ")
}

// Run writes a file for each trace.
func (c viewCmd) Run(ctx context.Context, a *app) error {
	switch {
	case len(c.Traces) > 1 && c.Out != "":
		return usageError{fmt.Errorf("--out %s is one file, and there are %d traces: leave it out, and each has a file beside it", c.Out, len(c.Traces))}
	case c.Open && c.Out == "-":
		return usageError{errors.New("--open needs a file: leave out --out -")}
	}
	format, err := c.format()
	if err != nil {
		return err
	}
	for _, path := range c.Traces {
		if err := c.write(ctx, a, format, path); err != nil {
			return err
		}
	}
	return nil
}

// write writes the file of one trace.
func (c viewCmd) write(ctx context.Context, a *app, format render.Format, trace string) error {
	t, trace, err := read(ctx, trace)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := format.Write(&page, t, a.replayWith(t, trace)); err != nil {
		return err
	}
	if c.Out == "-" {
		_, err := wording.Data(a.out).Write(page.Bytes())
		return err
	}
	out := c.Out
	if out == "" {
		out = strings.TrimSuffix(trace, filepath.Ext(trace)) + format.Ending
		if recorded.SameFile(out, trace) {
			out = strings.TrimSuffix(out, format.Ending) + "." + format.Name + format.Ending
		}
	}
	if recorded.SameFile(out, trace) {
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
	if !c.Open {
		return nil
	}
	if err := openFile(out); err != nil {
		return usageError{fmt.Errorf("%s was written, and cannot be opened: %w; open it by hand", out, err)}
	}
	return nil
}

// openFile opens a file with the program that the user has chosen for its kind.
var openFile = func(path string) error {
	path, err := filepath.Abs(path) // so that no name is read as a flag
	if err != nil {
		return err
	}
	switch runtime.GOOS {
	case "darwin":
		return exec.Command("open", path).Run()
	case "windows":
		return exec.Command("rundll32", "url.dll,FileProtocolHandler", path).Run()
	}
	return exec.Command("xdg-open", path).Run()
}

// format returns the requested format: a page, unless a flag or a file's ending names another.
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
