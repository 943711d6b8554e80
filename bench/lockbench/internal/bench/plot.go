package bench

import (
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
)

// The plot's size and its area, in pixels, and the shortest time on its axis, in seconds.
const (
	plotWidth, plotHeight    = 800, 380
	plotLeft, plotRight      = 56, 560
	plotTop, plotBottom      = 24, 330
	plotFirst                = 0.3
	plotLabels, plotDistance = 572, 15
)

// strokes are the lines of the arms: a colour that stands out on white and on black, and dashes.
var strokes = []struct{ colour, dash string }{
	{"#b45309", "2 3"}, {"#7c3aed", "8 3"}, {"#0e7490", "5 2 1 2"}, {"#4d7c0f", "10 2"}, {"#be123c", ""},
}

// plot draws the share of tries that have found their bug against the time, as an SVG.
func plot(r *Results, arms []trial.Arm) string {
	var b strings.Builder
	last := r.Plan.Limit
	x := func(s float64) float64 {
		return plotLeft + (plotRight-plotLeft)*math.Log(max(s, plotFirst)/plotFirst)/math.Log(last/plotFirst)
	}
	y := func(share float64) float64 { return plotBottom - (plotBottom-plotTop)*share }
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="Share of tries that have found their bug, against seconds" font-family="sans-serif" font-size="12">`+"\n", plotWidth, plotHeight, plotWidth, plotHeight)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", plotWidth, plotHeight)
	for _, share := range []float64{0, 0.25, 0.5, 0.75, 1} {
		fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%.0f%%</text>`+"\n", plotLeft, y(share), plotRight, plotLeft-6, y(share)+4, share*100)
	}
	for _, s := range []float64{0.3, 1, 3, 10, 30, 100, 300} {
		if s <= last {
			fmt.Fprintf(&b, `<path d="M%.1f %dV%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%g s</text>`+"\n", x(s), plotTop, plotBottom, x(s), plotBottom+18, s)
		}
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">time of a try, until its bug is found</text>`+"\n", (plotLeft+plotRight)/2, plotBottom+38)
	lowest := math.Inf(1)
	for i, a := range byShare(r, arms) {
		k := strokes[(a.ID()[0]-'A')%byte(len(strokes))]
		path := strings.Builder{}
		fmt.Fprintf(&path, "M%d %d", plotLeft, plotBottom)
		for px := 0; px <= plotRight-plotLeft; px += 2 {
			s := plotFirst * math.Exp(float64(px)/(plotRight-plotLeft)*math.Log(last/plotFirst))
			fmt.Fprintf(&path, "H%d V%.1f", plotLeft+px, y(r.share(a.ID(), s)))
		}
		at := y(r.share(a.ID(), last))
		if i > 0 {
			at = max(at, lowest+plotDistance)
		}
		lowest = at
		fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="%s" stroke-width="2" stroke-dasharray="%s"/><text x="%d" y="%.1f" fill="%s">%s %s</text>`+"\n",
			path.String(), k.colour, k.dash, plotLabels, at+4, k.colour, a.ID(), html.EscapeString(a.Name()))
	}
	b.WriteString("</svg>\n")
	return b.String()
}
