package page

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render/picture"
	"github.com/lockpick-dev/lockpick/traces/story"
)

var (
	//go:embed view/page.html
	pageHTML string
	//go:embed view/js
	scripts embed.FS

	viewJS       = script("theme", "scale", "lanes", "lens", "details", "steps", "events", "keys")
	pageTemplate = template.Must(template.New("page").Parse(pageHTML))
)

// script returns the script of the page: its parts, in one scope.
func script(parts ...string) string {
	all := "\"use strict\";\n(() => {\n"
	for _, part := range parts {
		text, err := scripts.ReadFile("view/js/" + part + ".js")
		if err != nil {
			panic(err) // they are a part of the binary
		}
		all += string(text) + "\n"
	}
	return all + "})();\n"
}

// View writes a page that shows a trace: a card with the sentence, the steps and the replay command, and below it the run
// as a picture to scale in time, once whole and once magnified at the crucial time. The page is one file without external
// references. It is readable without its script, which adds zooming, choosing lanes, searching, and details of moments and
// operations.
//
// Text from the trace is always shown as text. The page's content security policy admits only its own script and style
// sheet, by their hashes.
func View(w io.Writer, t *traces.Trace, replay string) error {
	data, err := newPage(t, replay)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, data); err != nil {
		return fmt.Errorf("view: %w", err)
	}
	_, err = w.Write(out.Bytes())
	return err
}

// page is the data of the page's template.
type page struct {
	Policy               string
	Style                template.CSS
	Script               template.JS
	Data                 template.JS
	Overview, Lens, Zoom template.HTML
	Defs                 template.HTML

	Title, Badge, Sentence, Rule string
	Violated, Limit, Experiment  bool
	Results                      []story.Result // on real servers
	Real, RealText               string         // of a run that was itself made on real servers
	Program                      bool           // it is of a program
	LimitText                    string
	Lock, Scenario, Replay       string
	Parameters                   []string
	Facts                        []fact
	Steps                        []picture.NumberedStep
	Attributed                   bool
	CalmEnough                   string
	Needs, Remedies              []pageItem
	Ringed                       bool
	Verdicts                     []pageVerdict
	Rows                         []pageRow
	Note, Scale, Record          string
	// StepsLeftOut describes the steps that are not shown, Unlisted the events that are not listed, and Omitted what the
	// picture has no room for.
	StepsLeftOut, Unlisted string
	Omitted                []string
	Events                 int
	// Lanes are the names of the lanes, Actors those of the actors of events, and Groups
	// the kinds of events.
	Lanes          []pageLane
	Actors, Groups []string
	Keys           []keyHelp
	// Session is the store's noun for a session, empty if there are none, and Marks are those of notes.
	Session string
	Marks   []picture.MarkHelp
	// Stack is the output of a run that did not finish.
	Stack string
}

// fact is a line of the card: a name and a value.
type fact struct{ Name, Value string }

// pageItem is a deviation or a remedy, with its result.
type pageItem struct{ Mark, Class, Verdict, Text string }

type pageVerdict struct {
	Property, Status, Mark, Class, Sentence, Asks string
}

// pageLane is a lane that can be hidden.
type pageLane struct{ Name, Note, Color string }

// pageRow is an event in the table.
type pageRow struct {
	Seq               int64
	At                int64
	Time, Actor, Text string
	Color, Class      string
	Group             int
}

func newPage(t *traces.Trace, replay string) (*page, error) {
	s := story.Of(t)
	p := picture.New(s)
	overview := picture.StoryWindow(s)
	lens := picture.LensWindow(s, overview)
	whole := picture.WholeRun(t)
	data, err := json.Marshal(viewDataOf(p, overview, lens))
	if err != nil {
		return nil, fmt.Errorf("view: %w", err)
	}
	over, under := picture.NewFrame("overview", overview), picture.NewFrame("lens", lens)
	out := &page{
		Policy: picture.Policy(picture.SheetCSS, viewJS),
		Style:  template.CSS(picture.SheetCSS), Script: template.JS(viewJS), Data: template.JS(data),
		Overview: template.HTML(p.SVG(over, &lens)), Lens: template.HTML(p.SVG(under, nil)),
		Zoom: template.HTML(zoomSVG(over, lens)), Defs: template.HTML(picture.DefsSVG),
		Lock:  wording.Printable(t.Lock),
		Limit: t.Limit, LimitText: story.LimitText(t),
		Scenario: wording.Printable(t.Scenario), Replay: wording.PrintableLines(replay),
		Parameters: story.Parameters(t.Parameters), Facts: facts(t), Steps: p.OpenedSteps(), Verdicts: pageVerdicts(t), Rows: rowsOf(p),
		Results: story.Results(t), Real: story.OnReal(t), RealText: story.RealText(t),
		Note: p.Extract.Note, Scale: scaleText(overview, whole, t), Record: s.Terms.Record,
	}
	if len(s.Lives.Nouns) > 0 {
		out.Session = s.Terms.Session
	}
	out.Marks = p.MarkHelps()
	if out.StepsLeftOut = s.Omitted; out.StepsLeftOut != "" {
		out.StepsLeftOut += " All that happened is in the table of events."
	}
	out.Omitted = p.Omitted()
	out.Unlisted, out.Keys = unlisted(p), keyHelps
	out.lists(p)
	out.headline(t)
	out.attribution(t.Attribution, t.Shrunk)
	out.Ringed = p.Ringed
	return out, nil
}

// lists fills in the lanes and groups for choosing lanes and events.
func (p *page) lists(pic *picture.Picture) {
	p.Events = len(listed(pic))
	for i := range pic.Lanes {
		l := &pic.Lanes[i]
		p.Lanes = append(p.Lanes, pageLane{l.Title, l.Note, pic.ColorOf(l.Actor.Name)})
	}
	groups := map[int]bool{}
	for i := range pic.Trace.Events {
		e := &pic.Trace.Events[i]
		if name := wording.Fit(wording.Printable(e.Actor), 40); !slices.Contains(p.Actors, name) {
			p.Actors = append(p.Actors, name)
		}
		groups[groupOf(e.Kind)] = true
	}
	p.Groups = make([]string, len(eventGroups))
	for i, name := range eventGroups {
		if groups[i] {
			p.Groups[i] = name
		}
	}
}

// unlisted describes the events that the page does not have; it is empty if it has all.
func unlisted(p *picture.Picture) string {
	all := listed(p)
	if len(all) == len(p.Trace.Events) {
		return ""
	}
	return fmt.Sprintf("Of %d events the page has %d, events %d to %d. The trace file has them all.", len(p.Trace.Events), len(all), all[0].Seq, all[len(all)-1].Seq)
}

// attribution fills in what the counterexample needs and which remedies prevent it.
func (p *page) attribution(a *traces.Attribution, shrunk *traces.Shrunk) {
	if a == nil {
		return
	}
	p.Attributed = true
	if len(a.Deviations) == 0 {
		p.CalmEnough = story.NeedsNothing
	}
	shown, left := story.ShownDeviations(a)
	for _, d := range shown {
		item := pageItem{Class: "needed", Text: wording.Printable(d.Text)}
		if !d.Needed {
			item.Class, item.Verdict = "needless", story.DeviationText(d)
		}
		p.Needs = append(p.Needs, item)
	}
	if left > 0 {
		p.Needs = append(p.Needs, pageItem{Class: "needless", Text: story.LeftOut(left)})
	}
	for _, text := range []string{story.UntriedText(a), story.ManyNeeds(a, shrunk)} {
		if text != "" {
			p.Needs = append(p.Needs, pageItem{Class: "needless", Text: text})
		}
	}
	classes := map[string]string{"✓": "good", "✗": "bad"}
	for i := range a.Remedies {
		r := &a.Remedies[i]
		p.Remedies = append(p.Remedies, pageItem{story.RemedyMark(r), classes[story.RemedyMark(r)], story.RemedyResult(r), wording.Printable(r.Text)})
	}
}

// headline fills in the subject of the page.
func (p *page) headline(t *traces.Trace) {
	v := t.Verdict()
	p.Program = story.IsProgram(t)
	if t.Experiment != nil {
		p.Experiment = true
		p.Badge = fmt.Sprintf("seed %d", t.Seed)
		p.Sentence = "A run of the experiment " + p.Scenario + ": " + p.Lock + "."
		p.Title = p.Lock + ", experiment " + p.Scenario
		return
	}
	if t.Trouble != nil {
		p.Violated = true
		p.Badge = wording.Printable(t.Trouble.Kind)
		p.Sentence = wording.Printable(t.Trouble.Reason) + ". " + story.TroubleText
		p.Title = p.Badge + ": " + p.Lock + " under " + p.Scenario
		p.Stack = story.StackText(t)
		return
	}
	if v == nil {
		p.Badge, p.Sentence = "no violation", "No violation; this is what happened."
		p.Title = "No violation: " + p.Lock + " under " + p.Scenario + story.Suffix(p.Real)
		return
	}
	p.Violated = true
	p.Badge = wording.Printable(v.Property) + " violated"
	if rule := t.Description(v.Property).Rule; rule != "" {
		p.Badge = rule + ": broken"
	}
	p.Sentence = wording.Printable(v.Sentence)
	if p.Sentence == "" {
		p.Sentence = p.Badge
	}
	if d := t.Description(v.Property); d.Rule == "" { // the badge has a program's rule
		p.Rule = d.Asks
	}
	p.Title = p.Badge + ": " + p.Lock + " under " + p.Scenario + story.Suffix(p.Real)
}

func ends(w picture.Window) [2]int64 { return [2]int64{int64(w.From), int64(w.To)} }

// facts returns the small print of the card.
func facts(t *traces.Trace) []fact {
	var all []fact
	if t.Real != nil {
		all = append(all, fact{"made", story.RealFact(t.Real)})
		if t.Attached == nil {
			all = append(all, fact{"of the simulated run", t.Real.Simulated})
		}
	} else {
		all = append(all, fact{"found by", story.FoundLine(t)})
	}
	if text := story.ShrunkLine(t); text != "" {
		all = append(all, fact{"shrunk", text})
	}
	all = append(all, fact{"recorded", story.VersionText(t)})
	if t.Hash != "" {
		all = append(all, fact{"hash", wording.Fit(wording.Printable(t.Hash), 64)})
	}
	return all
}

func pageVerdicts(t *traces.Trace) []pageVerdict {
	classes := map[model.Status]string{model.Holds: "good", model.Violated: "bad"}
	all := make([]pageVerdict, len(t.Verdicts))
	for i, v := range t.Verdicts {
		all[i] = pageVerdict{
			Property: wording.Printable(v.Property), Status: story.StatusText(&v), Mark: story.VerdictMarks[v.Status],
			Class: classes[v.Status], Sentence: wording.Printable(v.Sentence), Asks: t.Description(v.Property).Asks,
		}
		if v.Property == t.Property {
			all[i].Sentence = "" // it is the headline
		}
	}
	return all
}

// rowsOf returns the events that the table shows.
func rowsOf(p *picture.Picture) []pageRow {
	rows := make([]pageRow, len(p.Extract.Events))
	told := map[int64]string{}
	for _, s := range p.Steps {
		told[s.Seq] = "told"
		if s.Violating {
			told[s.Seq] = "told bad"
		}
	}
	for i := range p.Extract.Events {
		e := &p.Extract.Events[i]
		rows[i] = pageRow{
			Seq: e.Seq, At: int64(e.At), Time: traces.Seconds(e.At, 6), Actor: wording.Fit(wording.Printable(e.Actor), 40),
			Text: p.EventText(e), Color: p.ColorOf(e.Actor), Class: told[e.Seq],
			Group: groupOf(e.Kind),
		}
	}
	return rows
}

// zoomHeight is the height of the beam from the overview to the lens.
const zoomHeight = 34

// zoomSVG shows which part of the overview the lens magnifies.
func zoomSVG(over picture.Frame, lens picture.Window) string {
	x0, x1 := over.Bracket(lens)
	times := float64(over.Span()) / float64(lens.Span())
	var b strings.Builder
	fmt.Fprintf(&b, `<svg id="zoom" class="pic" viewBox="0 0 %d %d" width="%d" height="%d" aria-hidden="true">`, picture.PictureWidth, zoomHeight, picture.PictureWidth, zoomHeight)
	fmt.Fprintf(&b, `<polygon class="beam" points="%s,0 %s,0 %s,%d %s,%d"/>`,
		picture.Px(x0), picture.Px(x1), picture.Px(over.Right), zoomHeight, picture.Px(over.Left), zoomHeight)
	fmt.Fprintf(&b, `<text class="caption" x="4" y="24">%s</text></svg>`, wording.HTML(magnification(lens.Span(), times)))
	return b.String()
}

// magnification returns the caption of the lens.
func magnification(span time.Duration, times float64) string {
	if times < 1.05 {
		return "Lens: " + traces.Briefly(span)
	}
	return fmt.Sprintf("Lens: %s, magnified %s×", traces.Briefly(span), magnitude(times))
}

// magnitude returns a number in two significant digits.
func magnitude(times float64) string {
	unit := 1.0
	for times/unit >= 100 {
		unit *= 10
	}
	if times < 10 {
		return fmt.Sprintf("%.1f", times)
	}
	return fmt.Sprintf("%.0f", float64(int(times/unit+0.5))*unit)
}

// keyHelp is a line of the list of keys on the page.
type keyHelp struct {
	Keys []string
	Does string
}

// keyHelps are the keys of the page; its script defines them.
var keyHelps = []keyHelp{
	{[]string{"→", "↓", "n", "j"}, "the next step"},
	{[]string{"←", "↑", "p", "k"}, "the step before"},
	{[]string{"Home", "End"}, "the first step; the last"},
	{[]string{".", ","}, "the next event in the picture; the one before"},
	{[]string{"o"}, "what the operation sent, what came back, and what nodes did"},
	{[]string{"<", ">"}, "the lens to the left, to the right"},
	{[]string{"+", "−"}, "the lens closer, wider"},
	{[]string{"0"}, "the lens back to where it was at first"},
	{[]string{"Shift ←", "Shift →"}, "the overview to the left, to the right"},
	{[]string{"]", "["}, "the overview closer, wider"},
	{[]string{"w"}, "the overview to the whole run, or to the story"},
	{[]string{"f"}, "fold the lanes in which nothing happens, or unfold them"},
	{[]string{"l"}, "choose lanes"},
	{[]string{"/"}, "search the events; there Enter goes to the next match, Shift Enter to the one before, and in the table ↓, ↑, Home and End choose an event, Enter goes to it"},
	{[]string{"Esc"}, "close what is open"},
	{[]string{"?"}, "this list"},
}
