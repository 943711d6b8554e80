package page

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render/picture"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// account is what one actor believes, or what is true of it, at each time of the run.
type account struct {
	name, color string
	// isTrue is set for facts about a node, unset for a client's beliefs.
	isTrue bool
	turns  []turn
}

// turn is the content of an account from a time until the next turn.
type turn struct {
	at    model.Stamp
	parts []part
}

// part is one fact or belief, with its operation, 0 if none.
type part struct {
	text string
	op   int
}

// strand is a stretch with one fact or belief.
type strand struct {
	from, to model.Stamp
	depth    depth
	part
	// crowd is the text for many at one time: "threads wait for the lock".
	crowd string
}

// depth is the rank of a strand in an account, from the top.
type depth int

const (
	depthState depth = iota // paused, down, the role of a node
	depthMain               // claims; records of the lock
	depthDoing              // operations under way; other records
	depthWait
)

const (
	// maxParts is the maximum number of parts of an account at one time. Others are counted.
	maxParts = 6
	// crowded is the number of strands from which a crowd is one part.
	crowded = 3
)

// accounts makes the accounts of a picture's actors.
type accounts struct{ *picture.Picture }

// all returns the accounts of all actors that have one, in the order of their lanes.
func (p accounts) all() []account {
	var all []account
	for i := range p.Lanes {
		l := &p.Lanes[i]
		a := account{name: l.Title, color: p.ColorOf(l.Actor.Name), isTrue: l.Actor.Kind != traces.ClientActor}
		switch {
		case l.Lives != nil:
			a.turns = p.weave(p.lifeStrands(l.Noun), "none")
		case l.Actor.Kind == traces.ClientActor:
			a.turns = p.weave(p.clientStrands(l.Actor.Name), "does not believe that it holds the lock")
		case l.Actor.Kind == traces.NodeActor:
			a.turns = p.weave(p.nodeStrands(l.Actor.Name), "has no "+p.TermsAt(l.Actor.Name).Record+" of the lock")
		case l.Actor.Kind == traces.ResourceActor:
			a.turns = p.weave(p.resourceStrands(l.Actor.Name), "has not been used")
		default:
			continue // electors and printers neither believe anything nor have records
		}
		all = append(all, a)
	}
	return all
}

// clientStrands returns what a client believes and does.
func (p accounts) clientStrands(client string) []strand {
	var all []strand
	several := p.ThreadsOf(client) > 1
	add := func(from, to model.Stamp, d depth, o *model.Operation, text, crowd string) {
		if several {
			text = fmt.Sprintf("thread %d: %s", o.Thread+1, text)
		}
		all = append(all, strand{from, to, d, part{text, o.ID}, crowd})
	}
	for _, c := range p.Claims {
		if c.Acquire.Client == client {
			add(c.From, c.To, depthMain, c.Acquire, claimText(&c), "")
		}
	}
	for i := range p.Trace.History.Operations {
		o := &p.Trace.History.Operations[i]
		switch {
		case o.Client != client:
		case o.Kind == model.Acquire:
			add(o.Call, p.ends(o.Return), depthWait, o, "waits for the lock", "threads wait for the lock")
		default:
			add(o.Call, p.ends(o.Return), depthDoing, o, doingText(o), "")
		}
	}
	return append(all, p.stateStrands(client, "is paused")...)
}

// claimText returns the belief of a client with a claim.
func claimText(c *story.Claim) string {
	text := "believes that it holds the lock"
	if c.Acquire.Fenced {
		text += fmt.Sprintf(", with token %d", c.Acquire.Token)
	}
	if c.Acquire.Leased {
		text += ", until " + traces.Moment(c.Until)
	}
	return text
}

// doingText returns what a client does in an operation that is no Acquire.
func doingText(o *model.Operation) string {
	switch o.Kind {
	case model.Read:
		return "is reading"
	case model.Write:
		return fmt.Sprintf("is writing %d", o.Value)
	}
	return "is in " + wording.Printable(string(o.Kind))
}

// ends returns the stamp of an end, or the run's if there is none.
func (p accounts) ends(at model.Stamp) model.Stamp {
	if at.Happened() {
		return at
	}
	return story.RunEnd(p.Trace)
}

// stateStrands returns the times in which a process or a node was stopped or cut off, or a process had crashed. Nodes that
// are down have a role for that.
func (p accounts) stateStrands(name, stopped string) []strand {
	var all []strand
	for _, s := range p.Pauses {
		if s.Actor == name {
			all = append(all, strand{from: s.From, to: s.To, part: part{text: stopped}})
		}
	}
	for _, s := range story.Partitions(p.Trace) {
		a, _ := s.Parts()
		switch i := slices.Index(a, name); {
		case i == 0:
			all = append(all, strand{from: s.From, to: s.To, part: part{text: s.Text()}})
		case i > 0:
			all = append(all, strand{from: s.From, to: s.To, part: part{text: "is cut off together with " + a[0]}})
		}
	}
	if story.KindOf(p.Trace, name) != traces.ClientActor {
		return all
	}
	var crash model.Stamp
	for _, o := range p.Trace.History.Observations {
		switch {
		case o.Node != name:
		case o.Kind == model.Crashed && !crash.Happened():
			crash = o.Stamp
		case o.Kind == model.Returned && crash.Happened():
			all = append(all, strand{from: crash, to: o.Stamp, part: part{text: "has crashed"}})
			crash = model.Stamp{}
		}
	}
	if crash.Happened() {
		all = append(all, strand{from: crash, to: p.ends(model.Stamp{}), part: part{text: "has crashed"}})
	}
	return all
}

// nodeStrands returns the roles of a node and the records that it has.
func (p accounts) nodeStrands(node string) []strand {
	var all []strand
	for _, r := range p.Reigns(node) {
		all = append(all, strand{from: r.From, to: r.To, part: part{text: "is " + r.Called(p.TermsAt(node))}})
	}
	all = append(all, p.stateStrands(node, "hangs")...)
	for i := range p.Presences {
		h := &p.Presences[i]
		if h.Node != node {
			continue
		}
		at := depthDoing
		if p.IsLockKey(h.Key) {
			at = depthMain
		}
		text, end := p.recordText(h), h.To
		if h.Expires > 0 && h.Expires < h.To.At && h.Expires >= h.From.At {
			end = model.Stamp{Seq: story.SeqAfter(p.Trace, h.Expires), At: h.Expires}
			all = append(all, strand{end, h.To, at, part{text + ": over, and still stored", h.Owner.Op}, ""})
		}
		all = append(all, strand{h.From, end, at, part{text, h.Owner.Op}, ""})
	}
	return all
}

// recordText returns a record, its owner, and its end.
func (p accounts) recordText(h *story.Presence) string {
	text := "has "
	if h.Owner.Client != "" {
		text += wording.Printable(h.Owner.Client) + "'s "
	}
	text += p.TermsAt(h.Node).Record + " " + story.RecordEntry(h.Began)
	switch {
	case h.Session != "":
		text += ", with the " + p.TermsAt(h.Node).Session + " " + wording.Fit(wording.Printable(h.Session), 24)
	case h.Expires > 0:
		text += ", until " + traces.Moment(h.Expires)
	}
	return text
}

// lifeStrands returns the lives of a lane as the store knows them.
func (p accounts) lifeStrands(noun string) []strand {
	var all []strand
	for i := range p.Lives.All {
		x := &p.Lives.All[i]
		if x.Place != model.PlaceLane || x.Began.Note.Noun != noun {
			continue
		}
		name := noun + " " + wording.Fit(x.Subject, 24)
		if x.Client != "" {
			name = x.Client + "'s " + name
		}
		all = append(all, strand{x.From, x.To, depthMain, part{text: name + " lasts"}, ""})
		if state := x.End().State; state != "" && x.Unaware.Seq > x.To.Seq {
			all = append(all, strand{x.To, x.Unaware, depthMain, part{text: fmt.Sprintf("%s %s, and %s does not know", name, state, x.Client)}, ""})
		}
	}
	return all
}

// resourceStrands returns the values of the resource.
func (p accounts) resourceStrands(name string) []strand {
	var all []strand
	for _, v := range p.Values(p.Accesses(name)) {
		text := fmt.Sprintf("has the value %d", v.Value)
		if v.Writer != "" {
			text += ", written by " + wording.Printable(v.Writer)
		}
		all = append(all, strand{v.From, v.To, depthMain, part{text, v.Op}, ""})
	}
	return append(all, p.stateStrands(name, "hangs")...)
}

// weave makes an account of strands. Lack is its text while there is no main strand.
func (p accounts) weave(all []strand, lack string) []turn {
	type end struct {
		at    model.Stamp
		which int
		opens bool
	}
	var ends []end
	for i := range all {
		if story.Before(all[i].from, all[i].to) {
			ends = append(ends, end{all[i].from, i, true}, end{all[i].to, i, false})
		}
	}
	slices.SortStableFunc(ends, func(a, b end) int { return story.CompareStamps(a.at, b.at) })
	order := func(a, b int) int {
		return cmp.Or(cmp.Compare(all[a].depth, all[b].depth), cmp.Compare(a, b))
	}
	now := standing{all: all, crowds: map[string]int{}}
	turns := []turn{{parts: now.parts(lack)}}
	for i, e := range ends {
		at, found := slices.BinarySearchFunc(now.which, e.which, order)
		switch {
		case e.opens:
			now.which = slices.Insert(now.which, at, e.which)
			now.count(e.which, 1)
		case found:
			now.which = slices.Delete(now.which, at, at+1)
			now.count(e.which, -1)
		}
		if i+1 < len(ends) && ends[i+1].at == e.at || e.at.Seq > p.Trace.LastSeq() {
			continue
		}
		if parts := now.parts(lack); !slices.Equal(parts, turns[len(turns)-1].parts) {
			turns = append(turns, turn{e.at, parts})
		}
	}
	return turns
}

// standing are the strands that are active at a time.
type standing struct {
	all   []strand
	which []int // by depth, then as the strands come
	// main is the number of those of depthMain, and crowds the number of each crowd.
	main   int
	crowds map[string]int
}

func (n *standing) count(which, by int) {
	s := &n.all[which]
	if s.depth == depthMain {
		n.main += by
	}
	if s.crowd != "" {
		n.crowds[s.crowd] += by
	}
}

// parts returns the active strands in a few parts, with lack if none is a main one.
func (n *standing) parts(lack string) []part {
	var parts []part
	total := len(n.which)
	for _, size := range n.crowds { // unordered: a sum
		if size >= crowded {
			total -= size - 1
		}
	}
	if n.main == 0 {
		total++
	}
	lacking, gathered := n.main == 0, map[string]bool{}
	for _, i := range n.which {
		s := &n.all[i]
		if lacking && s.depth > depthMain {
			parts, lacking = append(parts, part{text: lack}), false
		}
		if len(parts) >= maxParts {
			break
		}
		switch size := n.crowds[s.crowd]; {
		case size < crowded:
			parts = append(parts, s.part)
		case !gathered[s.crowd]:
			parts, gathered[s.crowd] = append(parts, part{text: fmt.Sprintf("%d %s", size, s.crowd)}), true
		}
	}
	if lacking {
		parts = append(parts, part{text: lack})
	}
	if left := total - len(parts); left > 0 {
		parts = append(parts, part{text: fmt.Sprintf("and %d more", left)})
	}
	return parts
}
