package simrun

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// explainCmd tells a trace as text.
type explainCmd struct {
	Trace string `arg:"" help:"The trace file; simrun run writes it to simrun-out."`
}

// Run prints the explanation.
func (c explainCmd) Run(a *app) error {
	t, err := readTrace(c.Trace)
	if err != nil {
		return err
	}
	if err := render.Explain(a.out, t, render.Style{Color: painter(a.out).on}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "replay  %s\nlook    %s view %s\n", a.replayWith(t, c.Trace), a.name, wording.Shell(c.Trace))
	return err
}

// sameFile reports whether both names are of one file that exists.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	return err == nil && os.SameFile(one, two)
}

// viewCmd makes the picture.
type viewCmd struct {
	Trace string `arg:"" help:"The trace file; simrun run writes it to simrun-out."`
	Out   string `short:"o" help:"The file to write: a page (default: the trace's name with .html; - for standard output), or a drawing alone if the name ends in .svg." placeholder:"FILE"`
}

// Run writes the file.
func (c viewCmd) Run(a *app) error {
	t, err := readTrace(c.Trace)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if strings.EqualFold(filepath.Ext(c.Out), ".svg") {
		err = render.Draw(&page, t)
	} else {
		err = render.View(&page, t, a.replayWith(t, c.Trace))
	}
	if err != nil {
		return err
	}
	if c.Out == "-" {
		_, err := a.out.Write(page.Bytes())
		return err
	}
	out := c.Out
	if out == "" {
		out = strings.TrimSuffix(c.Trace, filepath.Ext(c.Trace)) + ".html"
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
	fmt.Fprintf(a.out, "wrote %s: open it in a browser\n", out)
	return nil
}
