package judgepage

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/judging"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces/render/picture"
)

// drawn is a chart under construction. Each event of a shown call has a place.
type drawn struct {
	chart  picture.Chart
	events []int64
	stamps []int64 // of the events
}

// draw draws the window.
func (s *section) draw(j *judging.Judgement, v *judging.Object) {
	if len(s.window.Calls) == 0 {
		return
	}
	d := drawn{chart: picture.Chart{
		ID: s.ID + "-chart", Title: "What the clients did, in the order of events",
		About: "Each lane is a client; the table below tells the same in words.",
	}}
	d.place(j, s.window)
	for i, who := range s.lanes {
		lane := picture.ChartLane{Name: who, Note: "client", Colored: true}
		if i == 0 {
			lane.Caption = "Clients: what each of them called, and what it was told"
		}
		d.chart.Lanes = append(d.chart.Lanes, lane)
	}
	s.holds = j.Holds(v, d.events[0], d.events[len(d.events)-1])
	for _, h := range s.holds {
		s.drawHold(&d, j, h)
	}
	for _, c := range s.window.Calls {
		s.drawCall(&d, j, c)
	}
	if n := s.window.After; n > 0 {
		d.chart.Gaps = append(d.chart.Gaps, picture.ChartGap{At: d.chart.Length + 0.4, Tip: wording.GroupedCount(n, "operation") + " left out"})
	}
	for _, a := range s.annotations(j) {
		s.drawNote(&d, a)
	}
	if event := certain(v); event != 0 {
		d.chart.Flag = picture.ChartTick{At: d.at(event), Text: "✗ no longer a " + j.Spec.Kind.Noun()}
	}
	s.Axis = d.axis()
	s.Chart = d.chart.SVG()
}

// certain returns the event at which a violation is certain: where it was found, or at the end of the smallest part, which
// is illegal by itself; 0 if there is none.
func certain(v *judging.Object) int64 {
	if v.Violation == nil {
		return 0
	}
	var last int64
	for i := range v.Shortest {
		c := &v.Shortest[i]
		last = max(last, c.Call)
		if !c.Pending() {
			last = max(last, c.Return)
		}
	}
	if at := v.Violation.At; at != 0 && (last == 0 || at < last) {
		return at
	}
	return last
}

// place gives each event of the calls its place.
func (d *drawn) place(j *judging.Judgement, w judging.Window) {
	type moment struct{ event, stamp int64 }
	var all []moment
	for _, c := range w.Calls {
		o := j.Origin(c.Call)
		all = append(all, moment{c.Call.Call, o.Call})
		if !c.Pending() {
			all = append(all, moment{c.Return, o.Return})
		}
	}
	sort.Slice(all, func(a, b int) bool { return all[a].event < all[b].event })
	for _, m := range slices.CompactFunc(all, func(a, b moment) bool { return a.event == b.event }) {
		d.events, d.stamps = append(d.events, m.event), append(d.stamps, m.stamp)
	}
	d.chart.Length = float64(len(d.events) - 1)
}

// at returns the place of an event: its own, or one between the shown events.
func (d *drawn) at(event int64) float64 {
	i, found := slices.BinarySearch(d.events, event)
	if found {
		return float64(i)
	}
	return float64(i) - 0.5
}

// end returns the place at which unended bars end.
func (d *drawn) end() float64 { return d.chart.Length + 0.6 }

// drawHold draws a hold of a client that has a lane.
func (s *section) drawHold(d *drawn, j *judging.Judgement, h judging.Hold) {
	lane := slices.Index(s.lanes, h.Acquire.Who())
	if lane < 0 {
		return
	}
	to, until := d.end(), "and nothing ended that"
	if h.To != 0 {
		to, until = d.at(h.To), fmt.Sprintf("at the longest until event %d", h.To)
	}
	faded := s.marks() && !slices.ContainsFunc(s.window.Calls, func(c judging.Shown) bool { return c.ID == h.Acquire.ID && c.Part })
	what := held(h.Acquire)
	d.chart.Bars = append(d.chart.Bars, picture.ChartBar{
		Kind: picture.ChartClaim, Lane: lane, From: d.at(h.From), To: to, Faded: faded,
		Long: name(h.Acquire.Who()) + " " + what, Short: "holds",
		Tip: fmt.Sprintf("%s %s from event %d on, %s: operation #%d, %s", name(h.Acquire.Who()), what, h.From, until, h.Acquire.ID, j.Origin(h.Acquire)),
	})
}

// held describes what an acquire got.
func held(c *model.Call) string {
	switch {
	case c.Op == model.AcquireRead:
		return "holds it to read"
	case c.Op == model.AcquireWrite:
		return "holds it to write"
	case c.Permit != "":
		return "holds permit " + wording.Clip(c.Permit, 40)
	case c.N > 1:
		return "holds " + wording.Count(int(c.N), "permit")
	case c.Fenced:
		return fmt.Sprintf("holds it, token %d", c.Token)
	}
	return "holds it"
}

// drawCall draws a call.
func (s *section) drawCall(d *drawn, j *judging.Judgement, c judging.Shown) {
	o := j.Origin(c.Call)
	tip := []string{fmt.Sprintf("#%d %s %s", c.ID, name(c.Who()), textOf(j, c.Call)), fmt.Sprintf("%s, called at %d", o, o.Call)}
	b := picture.ChartBar{
		Kind: picture.ChartCall, Lane: slices.Index(s.lanes, c.Who()), From: d.at(c.Call.Call), Ringed: c.Part, Faded: s.marks() && !c.Part,
		Long: fmt.Sprintf("#%d %s", c.ID, textOf(j, c.Call)), Short: fmt.Sprintf("#%d", c.ID),
	}
	switch {
	case c.Op == model.Crash || c.Op == model.Expire:
		b.Kind, b.To = picture.ChartEvent, b.From
		b.Long, b.Ringed = string(c.Op), false
	case c.Pending():
		b.Kind, b.To = picture.ChartUnknown, d.untilNext(c.Call, s.window)
		tip = append(tip, "it may have taken effect at any time from then on")
	default:
		b.To = d.at(c.Return)
		tip = append(tip, fmt.Sprintf("returned at %d", o.Return))
	}
	if c.Open {
		tip = append(tip, openText)
	}
	b.Tip = strings.Join(tip, "; ")
	d.chart.Bars = append(d.chart.Bars, b)
	if c.Skipped > 0 {
		d.chart.Gaps = append(d.chart.Gaps, picture.ChartGap{At: b.From - 0.5, Tip: wording.GroupedCount(c.Skipped, "operation") + " left out"})
	}
}

// marks reports whether the window marks a part.
func (s *section) marks() bool {
	return slices.ContainsFunc(s.window.Calls, func(c judging.Shown) bool { return c.Part })
}

// untilNext returns where a call that never returned ends: at the next one of its thread.
func (d *drawn) untilNext(c *model.Call, w judging.Window) float64 {
	for _, next := range w.Calls {
		if next.Who() == c.Who() && next.Call.Call > c.Call {
			return d.at(next.Call.Call) - 0.2
		}
	}
	return d.end()
}

// drawNote draws an annotation in the lane of its subject, which may be new.
func (s *section) drawNote(d *drawn, n note) {
	lane := slices.IndexFunc(d.chart.Lanes, func(l picture.ChartLane) bool { return l.Name == n.on })
	if lane < 0 {
		caption := ""
		if len(d.chart.Lanes) == len(s.lanes) {
			caption = "What else happened"
		}
		lane = len(d.chart.Lanes)
		d.chart.Lanes = append(d.chart.Lanes, picture.ChartLane{Name: n.on, Note: "annotation", Caption: caption})
	}
	from, to := d.span(n)
	d.chart.Bars = append(d.chart.Bars, picture.ChartBar{
		Kind: picture.ChartNote, Lane: lane, From: from, To: to, Long: n.text, Short: wording.Fit(n.text, 20), Tip: n.said(),
	})
}

// A bar that begins or ends between two events is at least noteMargin of a place away from both, and one that does both
// there is at least noteWidth wide.
const (
	noteMargin = 0.2
	noteWidth  = 0.3
)

// span returns where an annotation is drawn: from the first shown event that was not before it to the last that was not
// after it, and beyond these as far as its stamps show.
func (d *drawn) span(n note) (from, to float64) {
	first, _ := slices.BinarySearch(d.events, n.From)
	last, found := slices.BinarySearch(d.events, n.To)
	if !found {
		last--
	}
	if last == first && last < len(d.stamps) && n.Ended < d.stamps[last] {
		last-- // it ended before
	}
	from, to = d.between(first-1, n.Began), d.between(last, n.Ended)
	if n.Began == n.Ended {
		return to, to
	}
	if last < first && to-from < noteWidth { // between two events
		middle := min(max((from+to)/2, float64(last)+noteMargin+noteWidth/2), float64(last+1)-noteMargin-noteWidth/2)
		return middle - noteWidth/2, middle + noteWidth/2
	}
	return from, max(from, to)
}

// between returns the place of a stamp from the i-th of the shown events to the next: at the one that has it, and between
// them in proportion. It is in the middle if the stamps do not decide, because there is none, or because the clocks of the
// recorders differ.
func (d *drawn) between(i int, stamp int64) float64 {
	next := i + 1
	switch {
	case i >= 0 && d.stamps[i] == stamp:
		return float64(i)
	case next < len(d.stamps) && d.stamps[next] == stamp:
		return float64(next)
	case i < 0 || next == len(d.stamps) || stamp < d.stamps[i] || stamp > d.stamps[next]:
		return float64(i) + 0.5
	}
	part := float64(stamp-d.stamps[i]) / float64(d.stamps[next]-d.stamps[i])
	return float64(i) + min(max(part, noteMargin), 1-noteMargin)
}

// axis puts the stamps on the axis, and returns a description of them. If long stamps have a common beginning it is left
// out.
func (d *drawn) axis() string {
	texts := make([]string, len(d.stamps))
	for i, stamp := range d.stamps {
		texts[i] = strconv.FormatInt(stamp, 10)
	}
	text := "Events stand in their order, at equal distances; above and below them are the stamps of your file."
	if prefix := common(texts); len(prefix) >= 4 && len(texts[0]) >= 9 {
		for i := range texts {
			texts[i] = "…" + strings.TrimPrefix(texts[i], prefix)
		}
		text += " There, … stands for " + prefix + "."
	}
	for i, t := range texts {
		d.chart.Ticks = append(d.chart.Ticks, picture.ChartTick{At: float64(i), Text: t})
	}
	return text
}

// common returns the common beginning of texts of equal length, without the last two characters of each.
func common(texts []string) string {
	prefix := texts[0][:max(0, len(texts[0])-2)]
	for _, t := range texts {
		if len(t) != len(texts[0]) {
			return ""
		}
		for !strings.HasPrefix(t, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return prefix
}
