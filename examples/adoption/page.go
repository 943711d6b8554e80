package main

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

//go:embed *.go
var sources embed.FS

// row is what the page says of a library.
type row struct {
	library
	schedules        int
	differ, compared int           // schedules whose runs differed, and of how many
	each             time.Duration // of real time, for a schedule
	refused          []string
	troubles         []string
	faults           []fault
}

// fault is a violated property of a library, with where it was found, and what was said there first.
type fault struct {
	property, cause, sentence string
	scenarios                 []string
	confirmation
}

// confirmation is what came of a counterexample on real servers.
type confirmation struct {
	Scenario, Cause, Result, Reason, Server string
	Of, Confirmed                           int
	Diverged, OtherCauses                   map[string]int
}

// page searches all libraries, or only some, with the given number of schedules in each scenario, and writes the results as Markdown.
func page(out io.Writer, runs int, only ...string) error {
	for _, id := range only {
		if !slices.ContainsFunc(libraries, func(l library) bool { return l.id() == id }) {
			return fmt.Errorf("there is no library %q: adoption list shows them", id)
		}
	}
	fmt.Fprintf(out, `# Libraries and programs as they are

What [examples/adoption](../examples/adoption) finds of published code, unmodified; `+"`make adoption`"+` writes this page.
The lines are the adapter's, and some share another file: migration tools migrations.go or migrationspostgres.go, gocron's lockers gocron.go, and what
uses river riverclient.go and riverschema.go. Each scenario had %[1]d schedules. As many ran once more, in two processes whose runs were
compared; after three that differ, the rest of a scenario is not compared. No fault means none found in these schedules.

A fault with ‡ was made to happen on real servers, with the library as it is ([how](confirm.md)), in at least one of %[2]d tries; its section says in how many,
or why not. Counterexamples of programs cannot be tried yet: they run a Main, and make no calls of a lock.

| library | version | store | lines | schedules | ms each | differ | refused | faults found |
|---|---|---|---|---|---|---|---|---|
`, runs, tries)
	var rows []row
	for _, l := range libraries {
		if len(only) > 0 && !slices.Contains(only, l.id()) {
			continue
		}
		r, err := measure(l, runs)
		if err != nil {
			return fmt.Errorf("%s: %w", l.id(), err)
		}
		rows = append(rows, r)
		fmt.Fprintln(out, r)
	}
	fmt.Fprintln(out)
	for _, r := range rows {
		r.section(out)
	}
	_, err := io.WriteString(out, leftOut)
	return err
}

// tries are how many real runs are made of a counterexample.
const tries = 3

// measure searches a library in every scenario, compares its runs, and makes its faults happen on real servers.
func measure(l library, runs int) (r row, err error) {
	r.library = l
	asked := []string{"--lock=" + l.id(), fmt.Sprintf("--runs=%d", runs)}
	begin := time.Now()
	text, err := self(append([]string{"matrix", "--json", "--jobs=1"}, asked...)...)
	if err != nil {
		return r, err
	}
	took := time.Since(begin)
	if err := r.read(text); err != nil {
		return r, err
	}
	r.each = took / time.Duration(max(r.schedules, 1))
	if text, err = self(append([]string{"doctor"}, asked...)...); err != nil {
		return r, err
	}
	r.differ = bytes.Count(text, []byte("\n      schedule "))
	r.compared = runs * len(regexp.MustCompile(`(?m)^  \S+ +`+l.id()+` `).FindAll(text, -1))
	if l.program.ID == "" {
		err = r.confirm(asked)
	}
	return r, err
}

// confirm makes the faults happen on real servers: each in the first three scenarios in which it was found, until one succeeds.
func (r *row) confirm(asked []string) error {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for i := range r.faults {
		f := &r.faults[i]
		for _, scenario := range f.scenarios[:min(len(f.scenarios), 3)] {
			trace := filepath.Join(dir, scenario+"_"+r.id()+"_"+f.property+".json")
			if _, err := os.Stat(trace); err != nil {
				if _, err := self(append([]string{"run", scenario, "--out=" + dir}, asked...)...); err != nil {
					return err
				}
			}
			text, err := self("confirm", "--json", fmt.Sprintf("--tries=%d", tries), trace)
			if failed := new(exec.ExitError); errors.As(err, &failed) {
				f.confirmation = confirmation{Result: "failed", Cause: f.cause, Reason: strings.TrimSpace(string(failed.Stderr))}
				continue
			}
			if err != nil {
				return err
			}
			c := confirmation{}
			if err := json.Unmarshal(text, &c); err != nil {
				return fmt.Errorf("%s: %w", trace, err) // the command has said why
			}
			if f.Result == "" || c.confirms(f) {
				f.confirmation = c
			}
			if c.confirms(f) {
				break
			}
		}
	}
	return nil
}

// self runs this program. That something was found, is undecided or differs is no error.
func self(args ...string) ([]byte, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := exec.Command(exe, args...).Output()
	if failed := new(exec.ExitError); errors.As(err, &failed) && slices.Contains([]int{1, 3, 4}, failed.ExitCode()) {
		err = nil
	}
	return text, err
}

// read reads the cells of a matrix.
func (r *row) read(text []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var cell struct {
			Type, Scenario string
			Schedules      int
			Troubles       []struct{ Kind, Reason string }
			Properties     []struct {
				Property, Verdict, Cause, Sentence string
				Limit                              bool
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &cell); err != nil {
			return err
		}
		if cell.Type != "cell" {
			continue
		}
		r.schedules += cell.Schedules
		for _, t := range cell.Troubles {
			if t.Kind == "refused" {
				r.refused = append(r.refused, t.Reason)
			} else {
				r.troubles = append(r.troubles, cell.Scenario+": "+t.Kind+": "+t.Reason)
			}
		}
		for _, p := range cell.Properties {
			if p.Verdict != "violated" || p.Limit {
				continue
			}
			known := slices.IndexFunc(r.faults, func(f fault) bool { return f.property == p.Property && f.cause == p.Cause })
			if known < 0 {
				known = len(r.faults)
				r.faults = append(r.faults, fault{property: p.Property, cause: p.Cause, sentence: p.Sentence})
			}
			r.faults[known].scenarios = append(r.faults[known].scenarios, cell.Scenario)
		}
	}
	return lines.Err()
}

// mark is behind the name of a fault that was confirmed.
const mark = " ‡"

// String is the library's row of the table.
func (r row) String() string {
	var names []string
	for _, f := range r.faults {
		at := slices.IndexFunc(names, func(name string) bool { return strings.TrimSuffix(name, mark) == f.property })
		if at < 0 {
			at, names = len(names), append(names, f.property)
		}
		if f.confirms(&f) {
			names[at] = f.property + mark
		}
	}
	store := "several"
	if r.lock.Store != nil {
		store = r.lock.Store.ID()
	} else if len(r.program.Stores) == 1 {
		store = r.program.Stores[0].ID()
	}
	return fmt.Sprintf("| [%s](#%[1]s) | %s %s | %s | %d | %d | %.1f | %d of %d | %d | %s |", r.id(), r.module, version(r.module), store,
		lines(r.id()), r.schedules, float64(r.each)/1e6, r.differ, r.compared, len(r.refused), strings.Join(names, ", "))
}

// section writes the library's section, with its faults as quotations.
func (r row) section(out io.Writer) {
	summary := r.lock.Summary + r.program.Summary
	fmt.Fprintf(out, "## %s\n\n%s. %s\n", r.id(), strings.ToUpper(summary[:1])+summary[1:], r.expected.Reason)
	for _, list := range [][]string{r.refused, r.troubles} {
		for _, text := range list {
			fmt.Fprintf(out, "\n> - %s", text)
		}
	}
	for _, f := range r.faults {
		name := f.property
		if f.cause != "" { // a rule of a program has none
			name += " (" + f.cause + ")"
		}
		fmt.Fprintf(out, "\n> - %s, in %s: %s%s", name, f.scenarios[0], f.sentence, f.real())
	}
	fmt.Fprint(out, "\n\n")
}

// confirms reports whether the fault happened on real servers. A kept counterexample may be of another cause.
func (c confirmation) confirms(f *fault) bool { return c.Confirmed > 0 && c.Cause == f.cause }

// real is a sentence about the fault on real servers, with a space before it, empty if nothing was tried.
func (f fault) real() string {
	instead := ""
	for _, list := range []map[string]int{f.OtherCauses, f.Diverged} {
		for _, why := range slices.Sorted(maps.Keys(list)) {
			instead += fmt.Sprintf("; %d× %s", list[why], strings.TrimSpace(why))
		}
	}
	switch {
	case f.Result == "":
		return ""
	case f.Cause != f.cause:
		return fmt.Sprintf(" Not tried on real servers: the counterexample that was kept is of %s.", f.Cause)
	case f.Result == "failed":
		return " The try on real servers failed: " + f.Reason + "."
	case f.Of == 0:
		return " Real servers cannot be made to: " + f.Reason + "."
	case f.confirms(&f):
		return fmt.Sprintf(" Confirmed on %s in %s, in %d of %d tries.", f.Server, f.Scenario, f.Confirmed, f.Of)
	}
	return fmt.Sprintf(" Not confirmed on %s in %d tries%s.", f.Server, f.Of, instead)
}

// version is that of a module in this program.
func version(module string) string {
	info, _ := debug.ReadBuildInfo()
	for _, m := range info.Deps {
		if m.Path == module {
			return m.Version
		}
	}
	return "?"
}

// lines counts the lines of an adapter's code: its file is the one that has its id, and comments and empty lines are none.
func lines(id string) int {
	files, err := sources.ReadDir(".")
	if err != nil {
		panic(err) // they are in the program
	}
	for _, f := range files {
		text, err := sources.ReadFile(f.Name())
		if err != nil {
			panic(err)
		}
		if bytes.Contains(text, []byte(`ID: "`+id+`"`)) {
			return code(text)
		}
	}
	return 0
}

// code counts the lines that have a token.
func code(text []byte) int {
	var s scanner.Scanner
	files := token.NewFileSet()
	f := files.AddFile("", -1, len(text))
	s.Init(f, text, nil, 0)
	seen := map[int]bool{}
	for {
		at, t, word := s.Scan()
		if t == token.EOF {
			return len(seen)
		}
		if word != "\n" {
			seen[f.Line(at)] = true
		}
	}
}

// leftOut says what is not here.
const leftOut = `## Left out

- go-zero's lock (github.com/zeromicro/go-zero): it keeps one client of each address for as long as the program runs, for all processes of
  all runs.
- valkeyrie over Redis (github.com/kvtools/redis): it waits for keyspace notifications, and begins with CONFIG SET, which the simulated Redis lacks.
- valkeyrie over etcd (github.com/kvtools/etcdv3): it makes its own client, of an address, which needs a build with the
  [overlay](limits.md#the-order-of-goroutines). What gRPC writes from several goroutines, and which member it asks, is in no order, so runs do not repeat.
- go-etcd-lock (github.com/Scalingo/go-etcd-lock): Release holds a sync.Mutex while it waits for etcd, and a timer of the library calls it as well. Simulated
  time cannot pass while one waits for a mutex.
- The servers of asynq and of gocraft/work write the number of their operating system's process, which differs from run to run. Their clients are above.
- dcron (github.com/libi/dcron): the module proxy does not serve its drivers (github.com/dcron-contrib/redisdriver). It does not serve some locks either, such as
  github.com/jefferyjob/go-redislock.
- vitess's locks over ZooKeeper and etcd (vitess.io/vitess): they connect by themselves, and their packages need 800 others.
- go-workflows over MySQL (github.com/cschleiden/go-workflows): its queries join tables, and its migrations change them, which the simulated MySQL lacks.
- The module proxy serves neither leader elections over go-zookeeper (github.com/Comcast/go-leaderelection, github.com/kvtools/zookeeper) nor
  storage of certmagic in Redis (github.com/pberkel/caddy-storage-redis).
- pglock (cirello.io/pglock): a lock by a row and heartbeats. It has an adapter of more than 60 lines, and was not searched.
- go-redis/cache (github.com/go-redis/cache): it loads an entry once in each process, and promises nothing for several.
`
