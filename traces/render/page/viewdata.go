package page

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render/picture"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// viewData is the input of the page's script. Times are in nanoseconds. A number that stands for a text is its index in
// Texts.
type viewData struct {
	Run   [2]int64 `json:"run"`   // the whole run
	Story [2]int64 `json:"story"` // what the overview shows at first
	Lens  [2]int64 `json:"lens"`  // what the lens shows at first
	// WholeText is the text for the whole run, StoryText for the part that the overview shows at first, and RunText for the
	// length of the run.
	WholeText string `json:"wholeText"`
	StoryText string `json:"storyText"`
	RunText   string `json:"runText"`
	// Fold is set if idle lanes are folded at first.
	Fold  bool       `json:"fold,omitempty"`
	Lanes []viewLane `json:"lanes"`
	// Steps are the steps' times and events.
	Steps    [][2]int64       `json:"steps"`
	Details  []picture.Detail `json:"details"`
	Accounts []viewAccount    `json:"accounts"`
	// Operations are those of the run, by ID less one.
	Operations []viewOperation `json:"operations"`
	// Rest are the events that the table lacks: number, time, actor, group, text and manner.
	Rest   [][6]int64 `json:"rest,omitempty"`
	Groups []string   `json:"groups"`
	Texts  []string   `json:"texts"`
}

// viewLane is the room of a lane in the picture.
type viewLane struct {
	Name    string  `json:"name"`
	Top     float64 `json:"top"`
	Bottom  float64 `json:"bottom"`
	Caption bool    `json:"caption,omitempty"` // it has one above it
}

// viewAccount is an [account]. A turn is its time, its event, and the text and operation of each part.
type viewAccount struct {
	Name  string    `json:"name"`
	Color string    `json:"color"`
	True  bool      `json:"true,omitempty"`
	Turns [][]int64 `json:"turns"`
}

// viewOperation is an operation and everything that belongs to it. An entry is its role, its event, its time, actor and
// text, and 1 if it may belong to another thread.
type viewOperation struct {
	Title   string     `json:"title"`
	When    string     `json:"when"`
	Outcome string     `json:"outcome"`
	At      int64      `json:"at"`
	Hold    int        `json:"hold"`
	Entries [][6]int64 `json:"entries,omitempty"`
	Unclear int        `json:"unclear,omitempty"`
}

// texts is a table of distinct texts.
type texts struct {
	all   []string
	known map[string]int64
}

func (t *texts) add(s string) int64 {
	if n, known := t.known[s]; known {
		return n
	}
	if t.known == nil {
		t.known = map[string]int64{}
	}
	n := int64(len(t.all))
	t.known[s], t.all = n, append(t.all, s)
	return n
}

// viewDataOf computes the data of a page whose overview and lens show these windows at first.
func viewDataOf(p *picture.Picture, overview, lens picture.Window) viewData {
	whole := picture.WholeRun(p.Trace)
	d := viewData{
		Run: ends(whole), Story: ends(overview), Lens: ends(lens),
		WholeText: scaleText(whole, whole, p.Trace), StoryText: scaleText(overview, whole, p.Trace), RunText: traces.Briefly(p.Trace.EndAt()),
		Fold: p.Height > tallPicture, Details: append([]picture.Detail{}, p.Details...), Lanes: []viewLane{},
		Steps: [][2]int64{}, Accounts: []viewAccount{}, Operations: []viewOperation{},
	}
	for i := range p.Lanes {
		l := &p.Lanes[i]
		d.Lanes = append(d.Lanes, viewLane{l.Title, l.Top, l.Bottom(), l.Caption != ""})
	}
	for _, s := range p.Steps {
		d.Steps = append(d.Steps, [2]int64{int64(s.At), s.Seq})
	}
	var table texts
	for _, a := range (accounts{p}).all() {
		d.Accounts = append(d.Accounts, a.data(&table))
	}
	for _, x := range p.Exchanges().All() {
		d.Operations = append(d.Operations, operationData(&x, p.Trace, &table))
	}
	d.Rest = restOf(p, &table)
	d.Groups, d.Texts = eventGroups, table.all
	return d
}

// tallPicture is the height in pixels from which on idle lanes are folded at first.
const tallPicture = 640

func (a *account) data(table *texts) viewAccount {
	d := viewAccount{Name: a.name, Color: a.color, True: a.isTrue}
	for _, t := range a.turns {
		turn := []int64{int64(t.at.At), t.at.Seq}
		for _, p := range t.parts {
			turn = append(turn, table.add(wording.Fit(wording.Printable(p.text), 240)), int64(p.op))
		}
		d.Turns = append(d.Turns, turn)
	}
	return d
}

func operationData(x *story.Exchange, t *traces.Trace, table *texts) viewOperation {
	o := x.Op
	end := o.Return.At
	if !o.Return.Happened() {
		end = t.EndAt()
	}
	d := viewOperation{
		Title: wording.Printable(fmt.Sprintf("%s: %s", o.Client, o.Kind)), When: story.During(o.Call.At, end),
		Outcome: wording.Fit(wording.Printable(story.OutcomeText(o)), 300), At: int64(o.Call.At), Hold: o.Acquisition, Unclear: x.Unclear,
	}
	if o.Thread > 0 {
		d.Title += fmt.Sprintf(", thread %d", o.Thread+1)
	}
	for _, e := range x.Entries {
		doubt := int64(0)
		if e.Doubt {
			doubt = 1
		}
		d.Entries = append(d.Entries, [6]int64{
			int64(e.Role), e.Seq, int64(e.At), table.add(wording.Fit(wording.Printable(e.Actor), 40)),
			table.add(wording.Fit(wording.Printable(e.Text), 240)), doubt,
		})
	}
	return d
}

// maxListed is the maximum number of events of a page. It notes if there are more.
const maxListed = 100_000

// restOf returns the events that the table lacks when the page is opened.
func restOf(p *picture.Picture, table *texts) [][6]int64 {
	all := listed(p)
	if len(all) == len(p.Extract.Events) {
		return nil
	}
	first, last := p.Extract.Events[0].Seq, p.Extract.Events[len(p.Extract.Events)-1].Seq
	var rest [][6]int64
	for i := range all {
		e := &all[i]
		if first <= e.Seq && e.Seq <= last {
			continue
		}
		what, how := p.EventWords(e)
		rest = append(rest, [6]int64{
			e.Seq, int64(e.At), table.add(wording.Fit(wording.Printable(e.Actor), 40)), int64(groupOf(e.Kind)),
			table.add(wording.Fit(wording.Printable(what), 200)), table.add(wording.Printable(how)),
		})
	}
	return rest
}

// listed returns the events that the page has: all, or the maximum number around those that it shows.
func listed(p *picture.Picture) []sim.Event {
	all := p.Trace.Events
	if len(all) <= maxListed {
		return all
	}
	from := p.IndexOf(p.Extract.Events[0].Seq) - (maxListed-len(p.Extract.Events))/2
	from = max(0, min(from, len(all)-maxListed))
	return all[from : from+maxListed]
}

// eventGroups are the kinds of events by which the table is filtered.
var eventGroups = []string{"messages", "connections", "faults", "calls and returns", "what nodes and clients note", "timers and work"}

// groupOf returns the group of a kind of event.
func groupOf(k sim.EventKind) int {
	return slices.IndexFunc(groupKinds, func(kinds []sim.EventKind) bool { return slices.Contains(kinds, k) || kinds == nil })
}

// groupKinds are the kinds of each group; the last has all others.
var groupKinds = [][]sim.EventKind{
	{sim.EventDeliver, sim.EventDrop},
	{sim.EventDial, sim.EventRefused, sim.EventClose, sim.EventReset, sim.EventTimeout},
	{sim.EventFault},
	{sim.EventMark},
	{sim.EventNote, sim.EventInfo},
	nil,
}

// scaleText describes which part of the run a picture shows.
func scaleText(shown, whole picture.Window, t *traces.Trace) string {
	end := t.EndAt()
	length, cut := traces.Briefly(end), ""
	switch {
	case t.Experiment != nil && t.Experiment.Until > 0:
		cut = ", where the recording was cut"
	case t.History.Cut != "":
		cut = ", where the run was stopped"
	}
	switch {
	case shown == whole && cut != "":
		return "the run up to " + length + cut
	case shown == whole:
		return "the whole run, " + length
	case cut != "":
		return stretchText(shown) + " of a run up to " + length + cut
	}
	return stretchText(shown) + " of a run of " + length
}

// stretchText returns a window in seconds.
func stretchText(shown picture.Window) string {
	_, decimals := picture.TickStep(shown, picture.PictureWidth)
	return fmt.Sprintf("%s to %s", traces.Seconds(max(0, shown.From), decimals+1), traces.Seconds(max(0, shown.To), decimals+1))
}
