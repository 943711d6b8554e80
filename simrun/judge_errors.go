package simrun

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/lockpick-dev/lockpick/history"
	"github.com/lockpick-dev/lockpick/internal/wording"
)

// located adds to an error of a history the file, if it does not name one, and advice. The text may contain names from
// that file.
func (c *judgeCmd) located(err error) error {
	var path *fs.PathError
	switch {
	case errors.As(err, &path) && errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file %s", wording.Printable(path.Path))
	case errors.As(err, &path):
		return errors.New(wording.Printable(err.Error()))
	}
	text := wording.Printable(err.Error())
	if len(c.History) == 1 {
		text = c.named() + ": " + text
	}
	if advice := c.advice(err); advice != "" {
		text += "\n" + wording.Indent(wrapped(advice))
	}
	return errors.New(text)
}

// advice describes how the file was read and why, and what to do if that is wrong; it is empty if the error suffices.
func (c *judgeCmd) advice(err error) string {
	var wrong *history.LineError
	switch {
	case !errors.As(err, &wrong):
		return ""
	case wrong.Format == "":
		return "docs/history-format.md describes the formats, and shows how to make NDJSON of logs."
	case strings.HasPrefix(wrong.Problem, "more than "):
		return fmt.Sprintf("--limit=%d says how many; each takes up to 1.5 kB of memory.", c.Limit)
	case c.Format != "" && wrong.Begins != "" && wrong.Begins != wrong.Format:
		return fmt.Sprintf("It was read as %s, because of --format=%s, but begins like %s: leave --format out.", wrong.Format, c.Format, wrong.Begins)
	}
	why := "since it begins like that"
	if c.Format != "" {
		why = "because of --format=" + c.Format
	}
	return fmt.Sprintf("It was read as %s, %s: %s, such as %s. See docs/history-format.md.", historyFormats[wrong.Format], why, formatUnits[wrong.Format], wrong.Format.Example())
}

// historyFormats and formatUnits are the names of the formats, and of their units.
var (
	historyFormats = map[history.Format]string{history.NDJSON: "NDJSON", history.EDN: "Jepsen's EDN"}
	formatUnits    = map[history.Format]string{history.NDJSON: "one JSON object a line", history.EDN: "one map an event"}
)
