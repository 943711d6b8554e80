package arch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// divided are the top directories whose directories are units of the budget by themselves.
var divided = []string{"internal", "lock", "sim", "stores", "traces"}

// A Budget has the maximum number of lines of Go, without tests, of each unit of the root module, and under the name
// "total" that of all. A unit is a top directory, or a directory of one that is divided, with everything below it.
type Budget map[string]int

// Lines counts the lines of each unit.
func (m *Module) Lines() Budget {
	b := Budget{}
	for _, p := range m.packages {
		if slices.ContainsFunc(Wings, func(wing string) bool { return p.dir == wing || strings.HasPrefix(p.dir, wing+"/") }) {
			continue
		}
		for _, f := range p.files {
			if !f.test {
				n := m.fset.File(f.FileStart).LineCount()
				b[budgetUnit(p.dir)] += n
				b["total"] += n
			}
		}
	}
	return b
}

// budgetUnit returns the unit of a directory.
func budgetUnit(dir string) string {
	parts := strings.SplitN(dir, "/", 3)
	if len(parts) > 1 && slices.Contains(divided, parts[0]) {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// mostLines is the maximum number of lines of the root module. Its units together may have more than this.
const mostLines = 119_000

// Rounded returns the budget for these lines: each unit's number is rounded up to a hundred, and the total is [mostLines].
func (b Budget) Rounded() Budget {
	r := Budget{}
	for unit, n := range b { // unordered: each by itself
		r[unit] = (n + 99) / 100 * 100
	}
	r["total"] = mostLines
	return r
}

// Exceeded returns a sentence for each unit with more lines than the budget allows, or missing from it, and for each unit
// of the budget that no longer exists.
func (b Budget) Exceeded(lines Budget) (problems []string) {
	for _, unit := range slices.Sorted(maps.Keys(lines)) {
		if most, has := b[unit]; !has {
			problems = append(problems, fmt.Sprintf("%s has %d lines and no budget: add one in a commit with a reason", unit, lines[unit]))
		} else if lines[unit] > most {
			problems = append(problems, fmt.Sprintf("%s has %d lines, %d more than its budget: raise it in a commit with a reason, or delete", unit, lines[unit], lines[unit]-most))
		}
	}
	for _, unit := range slices.Sorted(maps.Keys(b)) {
		if _, has := lines[unit]; !has {
			problems = append(problems, fmt.Sprintf("%s has a budget and no lines: remove it", unit))
		}
	}
	return problems
}

// String lists the budget, a unit on each line.
func (b Budget) String() string {
	var text strings.Builder
	for _, unit := range slices.Sorted(maps.Keys(b)) {
		fmt.Fprintf(&text, "%-26s %6d\n", unit, b[unit])
	}
	return text.String()
}

// ParseBudget parses the output of String.
func ParseBudget(text string) (Budget, error) {
	b := Budget{}
	for line := range strings.Lines(text) {
		var unit string
		var n int
		if _, err := fmt.Sscan(line, &unit, &n); err != nil {
			return nil, fmt.Errorf("%q is no unit with its lines: %w", line, err)
		}
		b[unit] = n
	}
	return b, nil
}
