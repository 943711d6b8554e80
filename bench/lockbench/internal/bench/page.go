package bench

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
)

// Page makes the page of results.
type Page struct {
	*Results
	Bugs []*trial.Bug
	Arms []trial.Arm
	// Root is the directory of the repository, of which lines are counted.
	Root string
}

// Write writes the page and, beside it, its picture.
func (p Page) Write(path string) error {
	p.Arms = slices.DeleteFunc(slices.Clone(p.Arms), func(a trial.Arm) bool { return !slices.Contains(p.Plan.Arms, a.ID()) })
	p.Bugs = slices.DeleteFunc(slices.Clone(p.Bugs), func(b *trial.Bug) bool { return !slices.Contains(p.Plan.Bugs, b.ID) })
	text, err := p.text(strings.TrimSuffix(filepath.Base(path), ".md") + ".svg")
	if err != nil {
		return err
	}
	if err := os.WriteFile(strings.TrimSuffix(path, ".md")+".svg", []byte(plot(p.Results, p.Arms)), 0o666); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o666)
}

// text returns the page.
func (p Page) text(picture string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# lockbench: the same bugs, by Lockpick and by stress tests\n\n%s\n", p.introduction())
	fmt.Fprintf(&b, "## What was found\n\n%s\n", p.claims())
	fmt.Fprintf(&b, "![Share of tries that have found their bug, against the time, for each arm](%s)\n\n", picture)
	b.WriteString(p.summary())
	b.WriteString(p.alarmed())
	b.WriteString(p.missing())
	b.WriteString(p.later())
	fmt.Fprintf(&b, "\n## By bug\n\n%s\n%s\n", byBug, p.table())
	fmt.Fprintf(&b, "## Where the others are better\n\n%s\n", p.better())
	fmt.Fprintf(&b, "## The arms\n\n%s\n", p.arms())
	fmt.Fprintf(&b, "## The bugs\n\n%s\n", p.bugs())
	b.WriteString(rest)
	return b.String(), nil
}

// introduction says what was run.
func (p Page) introduction() string {
	whole := ""
	if p.Plan.Name != "full" {
		whole = fmt.Sprintf("**This is a %s run: %d bugs, %d seeds, %s a try. It is not the benchmark.**\n\n", p.Plan.Name, len(p.Plan.Bugs), p.Plan.Seeds, seconds(p.Plan.Limit))
	}
	return fmt.Sprintf(`%sEach bug is a lock with a published or printed bug, and the same lock, or a sound one of its kind, without it. Each arm looks for it with %d seeds, at most %s a try.
A try finds the bug if the history of a run violates the bug's own property. The same checker judges all arms, so that another bug of the same lock does not count.

Made by `+"`make lockbench`"+` and `+"`make lockbench-page`"+` on %s, begun at commit %s, in %.0f minutes. The load of the machine was %s when the run began.
`, whole, p.Plan.Seeds, seconds(p.Plan.Limit), p.Machine, cmp.Or(p.Commit, "unknown"), p.Minutes, cmp.Or(p.Load, "not known"))
}

// arm reports whether an arm was run.
func (p Page) ran(id string) bool {
	return slices.ContainsFunc(p.Arms, func(a trial.Arm) bool { return a.ID() == id })
}

// claims compares the results with what was claimed before they were measured.
func (p Page) claims() string {
	if !p.ran("E") {
		return "Lockpick was not run.\n"
	}
	mine := len(p.within("E", 60))
	best, name := 0, ""
	for _, a := range p.Arms {
		if n := len(p.within(a.ID(), p.Plan.Limit)); a.Waits() && (n > best || name == "") {
			best, name = n, a.ID()
		}
	}
	alarms, goods := p.alarms("E")
	all := len(p.Bugs)
	claim := func(holds bool) string {
		if holds {
			return "holds"
		}
		return "**does not hold**"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Three claims were made before anything was measured. A bug counts as found if half of the tries find it.\n\n| claim | measured | |\n|---|---|---|\n")
	fmt.Fprintf(&b, "| Lockpick finds 22 of 24 in 60 s a try | %d of %d | %s |\n", mine, all, claim(mine*24 >= 22*all))
	if name != "" {
		fmt.Fprintf(&b, "| the best of the others finds at most 14 of 24 in %s a try | %s: %d of %d | %s |\n", seconds(p.Plan.Limit), name, best, all, claim(best*24 <= 14*all))
	}
	fmt.Fprintf(&b, "| Lockpick has no false alarm on a repaired version | %d in %d | %s |\n", alarms, goods, claim(alarms == 0))
	return b.String()
}

// summary is a table of the arms.
func (p Page) summary() string {
	var b strings.Builder
	b.WriteString("| arm | bugs found | in 60 s | in 10 s | processor seconds a bug | replays | false alarms | lines of test |\n|---|---|---|---|---|---|---|---|\n")
	for _, a := range p.Arms {
		shown, replays, spent, found := 0, 0, 0.0, 0
		for _, bug := range p.Plan.Bugs {
			s := p.of(bug, a.ID())
			shown, replays = shown+s.shown, replays+s.replays
			if s.found > 0 {
				spent, found = spent+s.processor, found+1
			}
		}
		alarms, goods := p.alarms(a.ID())
		again := ""
		if replays > 0 {
			part := math.Round(100 * float64(shown) / float64(replays))
			if shown < replays {
				part = min(part, 99) // 100% is all of them
			}
			again = fmt.Sprintf("%.0f%%", part)
		}
		fmt.Fprintf(&b, "| %s: %s | %d of %d | %d | %d | %.0f | %s | %d of %d | %s |\n", a.ID(), a.Name(), len(p.within(a.ID(), p.Plan.Limit)), len(p.Bugs),
			len(p.within(a.ID(), 60)), len(p.within(a.ID(), 10)), spent/float64(max(found, 1)), again, alarms, goods, p.lines(a))
	}
	return b.String()
}

// missing lists the tries of the plan that have not been made.
func (p Page) missing() string {
	var list []string
	for _, a := range p.Arms {
		for _, bug := range p.Bugs {
			tries := slices.DeleteFunc(p.Plan.tasks(bug.ID, a), p.has)
			if len(tries) > 0 {
				list = append(list, fmt.Sprintf("%d of %s on `%s`", len(tries), a.ID(), bug.ID))
			}
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "\n**Not all tries have been made.** These are missing, and count as not found: " + strings.Join(list, ", ") + ".\n"
}

// later says which tries were made at another commit than the first.
func (p Page) later() string {
	var keys, list []string
	count := map[string]int{}
	for i := range p.Outcomes {
		o := &p.Outcomes[i]
		if o.Commit == "" || !p.ran(o.Arm) || !slices.Contains(p.Plan.Bugs, o.Bug) {
			continue
		}
		key := fmt.Sprintf("of %s at commit %s", o.Arm, o.Commit)
		if count[key] == 0 {
			keys = append(keys, key)
		}
		count[key]++
	}
	for _, key := range keys {
		list = append(list, fmt.Sprintf("%d %s", count[key], key))
	}
	if len(list) == 0 {
		return ""
	}
	return "\nSome tries were made later than the others: " + strings.Join(list, ", ") + ".\n"
}

// alarmed lists the alarms on repaired versions.
func (p Page) alarmed() string {
	var b strings.Builder
	for i := range p.Outcomes {
		if o := &p.Outcomes[i]; o.Version == trial.Good && o.Found && p.ran(o.Arm) && slices.Contains(p.Plan.Bugs, o.Bug) {
			fmt.Fprintf(&b, "- %s, `%s`: %s\n", o.Arm, o.Bug, o.Sentence)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\nThe alarms on repaired versions:\n\n" + b.String() + guess
}

// byBug explains the table of bugs.
const byBug = `Found in how many of the tries, the median of the seconds until then and, after a slash, the ninth decile. "-" is not found; "!" is a false alarm on the
repaired version; "e" is a try that ended with an error. Tries that were left out by rule 3 below count as not found.
`

// table has a row for each bug.
func (p Page) table() string {
	var b strings.Builder
	b.WriteString("| bug |")
	for _, a := range p.Arms {
		fmt.Fprintf(&b, " %s |", a.ID())
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(p.Arms)) + "\n")
	for _, bug := range p.Bugs {
		fmt.Fprintf(&b, "| `%s` |", bug.ID)
		for _, a := range p.Arms {
			fmt.Fprintf(&b, " %s |", p.of(bug.ID, a.ID()))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// String is the cell of the table.
func (s score) String() string {
	text := "-"
	if s.found > 0 {
		text = fmt.Sprintf("%d: %s / %s", s.found, short(s.median()), short(s.quantile(0.9)))
	}
	if s.alarms > 0 {
		text += " !"
	}
	if s.errors > 0 {
		text += " e"
	}
	return text
}

// short is a time in a table.
func short(s float64) string {
	switch {
	case math.IsInf(s, 1):
		return "-"
	case s < 10:
		return fmt.Sprintf("%.1f", s)
	}
	return fmt.Sprintf("%.0f", s)
}

// better lists the bugs that another arm finds sooner than Lockpick, or alone.
func (p Page) better() string {
	var b strings.Builder
	for _, bug := range p.Bugs {
		mine := p.of(bug.ID, "E").median()
		for _, a := range p.Arms {
			if s := p.of(bug.ID, a.ID()); a.Waits() && s.median() < mine {
				fmt.Fprintf(&b, "- `%s`: %s finds it in %s s, Lockpick in %s.\n", bug.ID, a.ID(), short(s.median()), cmp.Or(map[string]string{"-": "no time that it had"}[short(mine)], short(mine)+" s"))
			}
		}
	}
	if b.Len() == 0 {
		b.WriteString("No bug of this run is found sooner by another arm.\n")
	}
	return better + b.String()
}

// arms describes them.
func (p Page) arms() string {
	var b strings.Builder
	for _, a := range p.Arms {
		fmt.Fprintf(&b, "- **%s, %s.** %s\n", a.ID(), a.Name(), a.About())
	}
	return b.String() + tried
}

// bugs lists them.
func (p Page) bugs() string {
	var b strings.Builder
	b.WriteString("| bug | store | what it does wrong | property | bad, repaired | from |\n|---|---|---|---|---|---|\n")
	for _, bug := range p.Bugs {
		limit, store, bad, good := "", strings.SplitN(bug.ID, "-", 2)[0], bug.Bad.ID, bug.Good.ID
		if bug.Limit {
			limit = " (a limit)"
		}
		if bug.Module != "" {
			bad, good = "["+filepath.Base(bug.Module)+"](../bench/lockbench/"+bug.Module+")", "go.mod, good.mod"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s`%s | %s, %s | %s |\n", bug.ID, store, bug.About, bug.Property, limit, bad, good, bug.From)
	}
	return b.String()
}

// byShare returns the arms, the one that finds most first.
func byShare(r *Results, arms []trial.Arm) []trial.Arm {
	list := slices.Clone(arms)
	slices.SortStableFunc(list, func(a, b trial.Arm) int {
		return cmp.Compare(r.share(b.ID(), r.Plan.Limit), r.share(a.ID(), r.Plan.Limit))
	})
	return list
}
