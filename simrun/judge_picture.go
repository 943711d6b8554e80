package simrun

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/judgepage"
	"github.com/lockpick-dev/lockpick/internal/judging"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// picture writes the page for -o. It returns a line that describes it.
func (c *judgeCmd) picture(a *app, j *judging.Judgement) (string, error) {
	if c.Out == "" {
		return "", nil
	}
	var page bytes.Buffer
	what, err := c.page(&page, a, j)
	var refused usageError
	if errors.As(err, &refused) && c.Out != "-" {
		return refused.Error(), nil // the verdict matters more
	}
	if err != nil {
		return "", err
	}
	if c.Out == "-" {
		_, err := wording.Data(a.out).Write(page.Bytes())
		return "", err
	}
	err = traces.Replace(c.Out, func(w io.Writer) error {
		_, err := w.Write(page.Bytes())
		return err
	})
	if err != nil {
		return "", usageError{fmt.Errorf("the picture cannot be written: %w", err)}
	}
	return fmt.Sprintf("wrote %s, a picture of %s: open it in a browser", c.Out, what), nil
}

// page writes the page to w, and returns a description of it.
func (c *judgeCmd) page(w io.Writer, a *app, j *judging.Judgement) (what string, err error) {
	if !c.Porcupine {
		return judgepage.Shows(j), judgepage.Write(w, j, judgepage.About{
			Name: c.named(), Model: describeSpec(j.Spec), Result: resultOf(j), Meaning: meaning(j), Again: c.again(a),
		})
	}
	calls, what := j.Drawn()
	if len(calls) > judging.MostDrawn {
		return "", usageError{fmt.Errorf("no picture: %s has %s, and porcupine's page at most %d; without --porcupine the page shows a part of them",
			what, wording.GroupedCount(len(calls), "operation"), judging.MostDrawn)}
	}
	return what, judgepage.WritePorcupine(w, j, calls)
}

// again returns the command that judges the history again.
func (c *judgeCmd) again(a *app) string {
	words := []string{a.name, "judge"}
	for i, name := range c.History {
		if i == 20 {
			words = append(words, "...")
			break
		}
		words = append(words, wording.ShellPath(name))
	}
	words = append(words, "--model", wording.Shell(c.Model))
	for _, p := range c.Param {
		words = append(words, "--param", wording.Shell(p))
	}
	if c.Format != "" {
		words = append(words, "--format", wording.Shell(c.Format))
	}
	if c.Independent {
		words = append(words, "--independent")
	}
	if c.Uncertainty != 0 {
		words = append(words, "--uncertainty", c.Uncertainty.String())
	}
	return strings.Join(words, " ")
}
