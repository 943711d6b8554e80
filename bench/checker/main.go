// Benchchecker measures the monitors against porcupine, on the same histories and
// in the same run, and writes the results as a page (docs/checking.md). It fails if a
// monitor does not keep what the page promises.
package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

//go:embed checking.md
var introduction string

func main() {
	if err := run(os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "checker:", err)
			os.Exit(1)
		}
		os.Exit(2)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("checker", flag.ContinueOnError)
	limit := flags.Duration("limit", 20*time.Second, "how long porcupine may search one history")
	small := flags.Int("divide", 1, "divide the lengths of histories by this `number`, for a test")
	data := flags.String("porcupine", "", "the `directory` of porcupine's source with its test data (default: as go list finds it; - for none)")
	out := flags.String("o", "", "write the page to this `file` (default: standard output)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	b := bench{limit: *limit, divide: max(1, *small), progress: progress}
	rows, err := b.measure()
	if err != nil {
		return err
	}
	known, err := published(*data, *limit)
	if err != nil {
		return err
	}
	progress("")
	page := strings.NewReplacer(
		"{{table}}", table(rows), "{{published}}", known.String(), "{{limit}}", limit.String(),
		"{{versions}}", fmt.Sprintf("%s, %s/%s, porcupine %s", runtime.Version(), runtime.GOOS, runtime.GOARCH, porcupineVersion()),
		"{{command}}", "make bench-checker",
	).Replace(introduction)
	if *out == "" {
		fmt.Print(page)
	} else if err := os.WriteFile(*out, []byte(page), 0o666); err != nil {
		return err
	}
	if list := append(complaints(rows), known.wrong...); len(list) > 0 {
		return errors.New("not as promised:\n" + strings.Join(list, "\n"))
	}
	return nil
}

// progress shows a line on a terminal.
func progress(line string) {
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		fmt.Fprintf(os.Stderr, "\r\033[K%s", line)
	}
}
