package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

// What is required of the portfolio.
const (
	mostOverBest   = 2 // its median over that of the best single strategy
	leastOfDeep    = 3 // random's median over its own, if the bug is deep
	wantPercentile = 0.9
)

//go:embed search.md
var introduction string

// best is the single strategy with the smallest median, "" if no median is known.
func (b *bug) best(strategies []string) string {
	best := ""
	for _, s := range strategies {
		if s != explore.PortfolioStrategy && b.median(s) <= b.limit[s] && (best == "" || b.median(s) < b.median(best)) {
			best = s
		}
	}
	return best
}

// overBest is the portfolio's median over the best single one's, and gain
// random's over the portfolio's. Not a number if something was not measured.
func (b *bug) overBest(strategies []string) float64 {
	best := b.best(strategies)
	if len(b.found[explore.PortfolioStrategy]) == 0 || best == "" {
		return math.NaN()
	}
	return float64(b.atLeast(explore.PortfolioStrategy)) / float64(b.atLeast(best))
}

func (b *bug) gain() float64 {
	if len(b.found[explore.PortfolioStrategy]) == 0 || len(b.found[explore.RandomStrategy]) == 0 {
		return math.NaN()
	}
	return float64(b.atLeast(explore.RandomStrategy)) / float64(b.atLeast(explore.PortfolioStrategy))
}

// complaints are the requirements that do not hold.
func complaints(bugs []*bug, strategies []string) (list []string) {
	for _, b := range bugs {
		name := b.String() + ", " + b.property
		if r := b.overBest(strategies); r > mostOverBest {
			list = append(list, fmt.Sprintf("%s: the portfolio's median is %.1f times that of %s, more than %d", name, r, b.best(strategies), mostOverBest))
		}
		if g := b.gain(); b.deep && g < leastOfDeep {
			list = append(list, fmt.Sprintf("%s: the portfolio is %.1f times better than random, less than %d", name, g, leastOfDeep))
		}
	}
	return list
}

// report is the page.
func report(bugs []*bug, strategies []string, seeds int, command string) string {
	var t strings.Builder
	t.WriteString("| bug | bound |")
	for _, s := range strategies {
		t.WriteString(" " + s + " |")
	}
	t.WriteString(" best single | portfolio / best | random / portfolio |\n|---|---|" + strings.Repeat("---|", len(strategies)+3) + "\n")
	for _, b := range bugs {
		fmt.Fprintf(&t, "| %s: %s | %s |", b, b.property, b.bound)
		for _, s := range strategies {
			fmt.Fprintf(&t, " %s (%s) |", b.figure(s, 0.5), b.figure(s, wantPercentile))
		}
		fmt.Fprintf(&t, " %s | %s | %s |\n", cmp.Or(b.best(strategies), "none"), ratio(b.overBest(strategies)), ratio(b.gain()))
	}
	if list := complaints(bugs, strategies); len(list) > 0 {
		t.WriteString("\n**Not as good as it should be:**\n\n")
		for _, c := range list {
			t.WriteString("- " + c + "\n")
		}
	}
	var about strings.Builder
	for _, s := range strategies {
		fmt.Fprintf(&about, "- **%s**: %s\n", s, explore.DescribeStrategy(s))
	}
	alone := ""
	if text := together(scenariosOf(bugs)); text != "" {
		alone = togetherTitle + togetherBegins + text + togetherEnds + "\n"
	}
	v := cell.Versions(redis.Store)
	return strings.NewReplacer(
		"{{strategies}}", strings.TrimSpace(about.String()), "{{table}}", strings.TrimSpace(t.String()), "{{costs}}", strings.TrimSpace(costs(bugs, strategies)), "{{seeds}}", fmt.Sprint(seeds), "{{together}}", alone,
		"{{command}}", command, "{{versions}}", v.String(),
	).Replace(introduction)
}

// costs is the table of processor time. Its last lines are geometric means.
func costs(bugs []*bug, strategies []string) string {
	var t strings.Builder
	t.WriteString("| bug |")
	for _, s := range strategies {
		t.WriteString(" " + s + " |")
	}
	t.WriteString(" cheapest single | portfolio / cheapest |\n|---|" + strings.Repeat("---|", len(strategies)+2) + "\n")
	for _, b := range bugs {
		fmt.Fprintf(&t, "| %s: %s |", b, b.property)
		for _, s := range strategies {
			fmt.Fprintf(&t, " %s |", price(b.cost(s)))
		}
		fmt.Fprintf(&t, " %s | %s |\n", b.cheapest(strategies), ratio(b.overCheapest(strategies)))
	}
	planted := slices.DeleteFunc(slices.Clone(bugs), func(b *bug) bool { return !b.planted() })
	for _, group := range []struct {
		name string
		bugs []*bug
	}{{"all", bugs}, {"planted locks", planted}} {
		if len(group.bugs) == 0 {
			continue
		}
		fmt.Fprintf(&t, "| **geometric mean, %s** |", group.name)
		for _, s := range strategies {
			fmt.Fprintf(&t, " %s |", price(geometricMean(group.bugs, s)))
		}
		t.WriteString(" | |\n")
	}
	return t.String()
}

func (b *bug) planted() bool { return strings.HasPrefix(b.lock, "test-planted") }

// geometricMean is that of what bugs cost, and a lower bound if some were never found.
func geometricMean(bugs []*bug, strategy string) (mean time.Duration, atLeast bool) {
	logs := 0.0
	for _, b := range bugs {
		d, open := b.cost(strategy)
		logs += math.Log(float64(max(d, 1)))
		atLeast = atLeast || open
	}
	return time.Duration(math.Exp(logs / float64(len(bugs)))), atLeast
}

// cheapest is the single strategy that costs least, of those that found the bug if one did.
func (b *bug) cheapest(strategies []string) (best string) {
	for _, s := range strategies {
		if s == explore.PortfolioStrategy {
			continue
		}
		mine, missed := b.cost(s)
		other, otherMissed := b.cost(best)
		if best == "" || otherMissed && !missed || missed == otherMissed && mine < other {
			best = s
		}
	}
	return best
}

func (b *bug) overCheapest(strategies []string) float64 {
	best := b.cheapest(strategies)
	if len(b.spent[explore.PortfolioStrategy]) == 0 || best == "" {
		return math.NaN()
	}
	own, _ := b.cost(explore.PortfolioStrategy)
	other, _ := b.cost(best)
	return float64(own) / float64(max(other, 1))
}

// price is a processor time as text, in milliseconds.
func price(d time.Duration, atLeast bool) string {
	text := fmt.Sprintf("%.0f", float64(d)/float64(time.Millisecond))
	if d < 10*time.Millisecond {
		text = fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond))
	}
	if atLeast {
		return ">" + text
	}
	return text
}

// The part of a page that says which faults only one scenario has together.
const (
	togetherTitle  = "## What only one scenario can find\n\n"
	togetherBegins = "<!-- together -->\n"
	togetherEnds   = "<!-- end of together -->\n"
)

func scenariosOf(bugs []*bug) (ids []string) {
	for _, b := range bugs {
		ids = append(ids, b.scenario)
	}
	return ids
}

// together says which faults only one of the scenarios has together, of all that there are,
// and nothing if there are none.
func together(ids []string) string {
	var lines string
	r := scenarios.Registry(nil)
	for _, s := range r.Scenarios {
		if text := r.Alone(s); text != "" && slices.Contains(ids, s.ID) {
			lines += fmt.Sprintf("- **%s**: %s.\n", s.ID, text)
		}
	}
	if lines == "" {
		return ""
	}
	return "A bug that needs two faults is found only in a scenario whose budget has both:\n\n" + lines
}

// figure is a quantile as text.
func (b *bug) figure(strategy string, part float64) string {
	if n := b.quantile(strategy, part); n != none {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf(">%d", b.limit[strategy])
}

func ratio(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return fmt.Sprintf("%.1f", x)
}
