package simrun

import (
	"context"
	"fmt"

	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/wording"
)

// warning prints what a user should know before the findings.
func (p *textPrinter) warning(text string) {
	fmt.Fprintf(p.out, "%s %s\n\n", p.paint.Red("WARNING"), text)
}

// longRun is the number of events from which a warning before the search calls runs very long. Most runs have some
// hundred.
const longRun = 50_000

// warnOfSize warns if the parameters make very long runs, with an estimate.
func (h *session) warnOfSize(ctx context.Context) {
	size, err := hunt.EstimateSize(ctx, h.cell, h.worker)
	if err == nil && size.Events >= longRun { // an error will come again
		h.print.warning(h.sizeText(size))
	}
}

// sizeText describes how long the runs are, and how long the search takes.
func (h *session) sizeText(size hunt.Size) string {
	text := fmt.Sprintf("these parameters make very long runs: a calm one has about %s", wording.GroupedCount(rounded(size.Events), "event"))
	if !h.Stable {
		text += ", and takes about " + roughly(size.Took.Seconds()) + " of a worker"
		if h.id.Kind == runKind {
			all := size.Took.Seconds() * float64(h.id.Runs) / float64(min(h.Jobs, h.id.Runs))
			text += fmt.Sprintf("; the search runs %s, in about %s with %s", schedules(h.id.Runs), roughly(all), wording.Count(h.Jobs, "worker"))
		}
	}
	return text + ". Runs that take too long are given up as inconclusive, and traces leave out events. Search with fewer clients, threads or rounds (--param)"
}

// rounded returns a number rounded to two significant digits.
func rounded(n int64) int {
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return int((n + unit/2) / unit * unit)
}
