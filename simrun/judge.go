package simrun

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/lockpick-dev/lockpick/checker/monitor"
	"github.com/lockpick-dev/lockpick/history"
	"github.com/lockpick-dev/lockpick/internal/judging"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// judgeCmd judges a history that was recorded elsewhere.
type judgeCmd struct {
	History     []string      `arg:"" help:"The files to judge as one history; - is standard input. See docs/history-format.md."`
	Model       string        `required:"" enum:"${kinds}" help:"The kind of the objects: ${kinds_help}." placeholder:"KIND"`
	Param       []string      `short:"p" sep:"none" help:"Set a parameter of the model, as name=value; may be repeated. ${kind_parameters}" placeholder:"NAME=VALUE"`
	Format      string        `default:"" enum:",ndjson,edn" help:"The format of the files: ndjson, or Jepsen's edn (default: detect it)." placeholder:"FORMAT"`
	Independent bool          `help:"Values in edn are pairs of object and value (jepsen.independent)."`
	Uncertainty time.Duration `help:"How far the clocks of the recorders may be apart, if stamps are wall-clock nanoseconds, such as 2ms (default 0)." placeholder:"D"`
	Timeout     time.Duration `default:"30s" help:"How long to search the orders of an object's operations if no monitor can decide (default ${default})." placeholder:"D"`
	Limit       int           `default:"${calls}" help:"The maximum number of operations to read (default ${default}); they take up to 1.5 kB of memory each." placeholder:"N"`
	JSON        bool          `name:"json" help:"Print one JSON object per line."`
	Out         string        `short:"o" help:"Write a page to this HTML file (- for standard output): the smallest illegal part with the operations around it, or the beginning of a legal history." placeholder:"FILE"`
	Porcupine   bool          `help:"Write porcupine's own page to that file instead, of at most ${drawn} operations."`
}

// judgeVars returns the variables in judge's help.
func judgeVars() kong.Vars {
	var described []string
	for _, k := range model.Kinds() {
		if name := k.Parameter(); name != "" {
			described = append(described, fmt.Sprintf("%s has %s", k, name))
		}
	}
	kinds := kindNames()
	return kong.Vars{
		"kinds": strings.Join(kinds, ","), "kinds_help": strings.Join(kinds, ", "),
		"kind_parameters": "Of the kinds, " + strings.Join(described, ", ") + ".",
		"calls":           strconv.Itoa(history.MaxCalls),
		"drawn":           strconv.Itoa(judging.MostDrawn),
	}
}

func kindNames() (names []string) {
	for _, k := range model.Kinds() {
		names = append(names, string(k))
	}
	return names
}

// Validate checks what kong cannot.
func (c *judgeCmd) Validate() error {
	switch {
	case c.Limit < 1:
		return fmt.Errorf("--limit=%d: want at least 1", c.Limit)
	case c.Uncertainty < 0:
		return fmt.Errorf("--uncertainty=%s: want 0 or more", c.Uncertainty)
	case c.Timeout <= 0:
		return fmt.Errorf("--timeout=%s: want more than 0", c.Timeout)
	case c.Porcupine && c.Out == "":
		return errors.New("--porcupine: name the file for its page with -o")
	case c.Out == "-" && c.JSON:
		return errors.New("-o - and --json: both go to standard output; name a file for the picture")
	}
	return nil
}

// Run reads and judges the history, and prints the result.
func (c *judgeCmd) Run(ctx context.Context, a *app) error {
	spec, err := c.spec()
	if err != nil {
		return usageError{err}
	}
	h, err := c.read(a.in)
	if err == nil {
		if err = judging.Check(spec, h); err != nil {
			err = fmt.Errorf("%w (--model=%s says what the objects are)", err, c.Model)
		}
	}
	if err != nil {
		return usageError{c.located(err)}
	}
	for _, name := range c.History {
		if recorded.SameFile(c.Out, name) {
			return usageError{fmt.Errorf("%s is the history itself: name another file for the picture with -o", c.Out)}
		}
	}
	j := judging.Judge(ctx, spec, h, monitor.Bound{Time: c.Timeout, Memory: searchMemory})
	if ctx.Err() != nil {
		return context.Canceled
	}
	picture, err := c.picture(a, j)
	if err != nil {
		return err
	}
	if c.Out != "-" {
		if c.JSON {
			printJudgementJSON(wording.Data(a.out), j, picture)
		} else {
			printJudgement(a.out, j, c.named(), picture)
		}
	}
	if code := recorded.CodeOf(resultOf(j)); code != exitNone {
		return exitCode(code)
	}
	return nil
}

// searchMemory is the memory that porcupine may use for visited states.
const searchMemory = 512 << 20

// resultOf returns the result for a history, in the terms of a search.
func resultOf(j *judging.Judgement) string {
	switch j.Status() {
	case model.Holds:
		return explore.NoneFound
	case model.Violated:
		return explore.Violation
	case model.NotApplicable:
		return explore.Vacuous
	}
	return string(explore.Inconclusive)
}

// named returns the name of the history.
func (c *judgeCmd) named() string {
	switch {
	case len(c.History) > 1:
		return wording.GroupedCount(len(c.History), "file")
	case c.History[0] == "-":
		return "standard input"
	}
	return c.History[0]
}

// read reads the files.
func (c *judgeCmd) read(stdin io.Reader) (*history.History, error) {
	var inputs []history.Input
	for i, name := range c.History {
		if name != "-" {
			f := &lazyFile{name: name}
			defer f.Close()
			inputs = append(inputs, history.Input{Name: name, Reader: f})
			continue
		}
		if slices.Contains(c.History[:i], "-") {
			return nil, errors.New("- is given twice, but there is only one standard input")
		}
		inputs = append(inputs, history.Input{Name: "standard input", Reader: stdin})
	}
	if len(inputs) == 1 {
		inputs[0].Name = "" // all lines are of this file
	}
	return history.Read(history.Options{
		Format: history.Format(c.Format), Uncertainty: int64(c.Uncertainty), MaxCalls: c.Limit,
		Kind: model.Kind(c.Model), Independent: c.Independent,
	}, inputs...)
}

// lazyFile is opened at the first read and closed at its end, so that few files are open at once.
type lazyFile struct {
	name string
	file *os.File
	over bool
}

func (f *lazyFile) Read(p []byte) (n int, err error) {
	if f.over {
		return 0, io.EOF
	}
	if f.file == nil {
		if f.file, err = os.Open(f.name); err != nil {
			return 0, err
		}
	}
	if n, err = f.file.Read(p); errors.Is(err, io.EOF) {
		f.over = true
		f.Close()
	}
	return n, err
}

// Close closes the file if it is open.
func (f *lazyFile) Close() {
	if f.file != nil {
		f.file.Close()
	}
}

// spec returns the kind of the objects with the parameters from the flags.
func (c *judgeCmd) spec() (model.Spec, error) {
	spec := model.Spec{Kind: model.Kind(c.Model)}
	given := false
	for _, setting := range c.Param {
		name, text, ok := strings.Cut(setting, "=")
		parameter := spec.Kind.Parameter()
		switch {
		case !ok:
			return spec, fmt.Errorf("--param %q: want name=value, such as permits=3", setting)
		case parameter == "" || name != parameter:
			return spec, fmt.Errorf("--param %q: a %s has no such parameter; it has %s", setting, spec.Kind, cmp.Or(parameter, "none"))
		case given:
			return spec, fmt.Errorf("--param %q: %s is given twice", setting, name)
		}
		given = true
		if err := setParameter(&spec, name, text); err != nil {
			return spec, fmt.Errorf("--param %q: %w", setting, err)
		}
	}
	if err := spec.Validate(); err != nil {
		return spec, fmt.Errorf("%w (set it with --param)", err)
	}
	return spec, nil
}

// setParameter sets the field of the spec with the given name in JSON. The stock is a list: the items of each segment.
func setParameter(spec *model.Spec, name, text string) error {
	values := []string{text}
	if name == "stock" {
		values = strings.Split(text, ",")
	}
	numbers := make([]int64, len(values))
	for i, value := range values {
		n, err := strconv.ParseInt(value, 10, 32)
		if err != nil {
			return fmt.Errorf("want a whole number, got %q", value)
		}
		numbers[i] = n
	}
	var set any = numbers
	if name != "stock" {
		set = numbers[0]
	}
	field, err := json.Marshal(map[string]any{name: set})
	if err != nil {
		return err
	}
	return json.Unmarshal(field, spec)
}
