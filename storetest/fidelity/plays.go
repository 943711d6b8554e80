package fidelity

import (
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/sim"
)

// InWorld runs a new world and returns the lines that its processes write to lines. Begin builds the world.
// If the run fails, the last line says why.
func InWorld(begin func(w *sim.World, lines *[]string)) (lines []string) {
	report := sim.Run(sim.Config{MaxEvents: 1 << 30}, func(w *sim.World) {
		w.AnswerUnsupported()
		begin(w, &lines)
	})
	if report.Failure != nil {
		lines = append(lines, fmt.Sprintf("the run failed: %v\n%s", report.Failure, report.Failure.Stack))
	}
	return lines
}

// Difference returns the first line in which a simulated play differs from the real one, or "" if none does.
// The result begins with the lines before it, from the last one that does not continue another.
func Difference(simulated, real []string, continues func(line string) bool) string {
	line := func(lines []string, i int) string {
		if i < len(lines) {
			return lines[i]
		}
		return "(the end)"
	}
	for i := range max(len(simulated), len(real)) {
		if i < len(simulated) && i < len(real) && simulated[i] == real[i] {
			continue
		}
		from := max(0, min(i, len(real)-1))
		for from > 0 && continues(real[from]) {
			from--
		}
		before := strings.Join(real[from:min(i, len(real))], "\n")
		return fmt.Sprintf("%s\nsimulated: %s\nreal:      %s", before, line(simulated, i), line(real, i))
	}
	return ""
}
