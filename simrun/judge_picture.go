package simrun

import (
	"bytes"
	"fmt"
	"io"

	"github.com/lockpick-dev/lockpick/internal/judging"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// picture writes the picture for -o. It returns a line that describes it.
func (c *judgeCmd) picture(a *app, j *judging.Judgement) (string, error) {
	if c.Out == "" {
		return "", nil
	}
	calls, what := j.Drawn()
	if len(calls) > judging.MostDrawn {
		if c.Out == "-" {
			return "", usageError{fmt.Errorf("no picture: %s has %s, and a picture at most %d", what, wording.GroupedCount(len(calls), "operation"), judging.MostDrawn)}
		}
		return fmt.Sprintf("no picture was written: %s has %s, and a picture at most %d", what, wording.GroupedCount(len(calls), "operation"), judging.MostDrawn), nil
	}
	var page bytes.Buffer
	if err := j.Draw(&page, calls); err != nil {
		return "", err
	}
	if c.Out == "-" {
		_, err := a.out.Write(page.Bytes())
		return "", err
	}
	err := traces.Replace(c.Out, func(w io.Writer) error {
		_, err := w.Write(page.Bytes())
		return err
	})
	if err != nil {
		return "", usageError{fmt.Errorf("the picture cannot be written: %w", err)}
	}
	return fmt.Sprintf("wrote %s, a picture of %s: open it in a browser", c.Out, what), nil
}
