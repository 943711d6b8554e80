package picture

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// Picture is a run in lanes and time.
type Picture struct {
	*story.Story
	*Canvas
	Extract Extract
	epochs  []story.Epoch
	// Ringed is set if an event has a ring: the counterexample needs it.
	Ringed bool
}

// New draws a trace.
func New(s *story.Story) *Picture {
	p := &Picture{Story: s, Canvas: &Canvas{}, Extract: newExtract(s)}
	if p.epochs = s.Epochs(); len(p.epochs) > 0 {
		p.epochs[len(p.epochs)-1].To.At = WholeRun(s.Trace).To
	}
	layout{p}.layOut()
	p.drawEpochs()
	p.drawViolation()
	p.drawLimits()
	for i := range p.Lanes {
		switch l := &p.Lanes[i]; {
		case l.Lives != nil:
			lifePainter{p}.drawLives(l)
		case l.Actor.Kind == traces.ClientActor:
			clientPainter{p}.drawClient(l)
		case l.Actor.Kind == traces.NodeActor:
			nodePainter{p}.drawNode(l)
		case l.Actor.Kind == traces.ElectorActor:
			p.drawPauses(l)
			stripPainter{p}.drawStrip(l)
		case l.Actor.Kind == traces.ResourceActor:
			resourcePainter{p}.drawResource(l)
		case l.Actor.Kind == printedActor:
			p.drawPrinted(l)
		}
	}
	p.drawPartings()
	messagePainter{p}.drawMessages()
	p.drawNeeds()
	p.placeBadges()
	// Of the same rank the later comes first: its text follows its mark, and if that leaves no room for the earlier one, the
	// earlier text precedes its own mark.
	slices.SortStableFunc(p.labels, func(a, b Label) int { return cmp.Or(cmp.Compare(b.Rank, a.Rank), cmp.Compare(b.T0, a.T0)) })
	return p
}

// of sets the operation of a detail.
func (p *Picture) of(detail, op int) {
	if p.Trace.History.Operation(op) != nil {
		p.Details[detail].Op = op
	}
}

// drawEpochs draws a band behind each epoch and names the serving node.
func (p *Picture) drawEpochs() {
	serving := p.Terms.Serving
	for i, e := range p.epochs {
		d := p.describe(e.From.At, story.During(e.From.At, e.To.At), fmt.Sprintf("failover epoch %d: %s is the %s", e.Number, e.Serving, serving))
		p.Add(layerGround, Shape{Kind: ShapeRect, Class: "epoch" + parity(i), T0: e.From.At, T1: e.To.At, Y0: epochTop, Y1: p.Height, Detail: d})
		if i > 0 {
			p.Add(layerGround, Shape{Kind: ShapeLine, Class: "turn", T0: e.From.At, T1: e.From.At, Y0: epochTop, Y1: p.Height, Detail: d})
		}
		p.Write(Label{
			Class: "epochname", T0: e.From.At, T1: e.To.At, Y: epochTop + 12, Place: placeInside, Rank: RankFrame,
			Long: fmt.Sprintf("epoch %d: %s is %s", e.Number, e.Serving, serving), Short: e.Serving,
		})
	}
}

func parity(i int) string { return [...]string{" even", " odd"}[i%2] }

// drawViolation marks the window in which the property is violated, through all lanes.
func (p *Picture) drawViolation() {
	if p.Verdict == nil || !p.Verdict.From.Happened() {
		return
	}
	from, to := p.Verdict.From, p.Verdict.To
	if !to.Happened() {
		to = from
	}
	what := p.windowText()
	d := p.describe(from.At, story.During(from.At, to.At), p.Trace.Broken(p.Verdict.Property)+": "+what, p.Verdict.Sentence)
	p.Add(layerGround, Shape{Kind: ShapeRect, Class: "broken", T0: from.At, T1: to.At, Y0: FlagTop, Y1: p.Height, least: 3, Detail: d})
	for _, edge := range slices.Compact([]time.Duration{from.At, to.At}) {
		p.Add(LayerMarks, Shape{Kind: ShapeLine, Class: "brokenedge", T0: edge, T1: edge, Y0: FlagTop, Y1: p.Height, Detail: None})
	}
	p.Write(Label{
		Class: "flag", T0: from.At, T1: to.At, Y: FlagTop + 13, Place: placeFlag, Rank: RankFrame,
		Long: "✗ " + p.Verdict.Property + ": " + what, Short: "✗ " + p.Verdict.Property,
	})
}

// drawLimits marks the overlaps of claims before the one that is the violation.
func (p *Picture) drawLimits() {
	limits, _ := p.EarlierLimits()
	for _, s := range limits {
		d := p.describe(s.From.At, story.During(s.From.At, s.To.At), s.Text, "The violation that is judged is a later overlap, which is the lock's fault.")
		p.of(d, s.Op)
		p.Add(layerGround, Shape{Kind: ShapeRect, Class: "overlap", T0: s.From.At, T1: s.To.At, Y0: FlagTop, Y1: p.Height, least: 3, Detail: d})
		p.Write(Label{
			Class: "flag limit", T0: s.From.At, T1: s.To.At, Y: FlagTop + 13, Place: placeFlag, Rank: RankFrame,
			Long: "a limit: " + s.Text, Short: "a limit",
		})
	}
}

// windowText describes the violation, with the names of the clients if they are two.
func (p *Picture) windowText() string {
	if p.Broken.Pair != "" && len(p.Clients) == 2 {
		return wording.And(p.Clients) + " " + p.Broken.Pair
	}
	return p.Broken.Window
}
