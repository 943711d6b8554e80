package story

import (
	"slices"
	"sort"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// Life is a subject of a store, from the note that begins it to the one that ends it: a bar of the picture.
type Life struct {
	Place         model.Place
	Node, Subject string
	Client        string // its owner; empty if it has none
	Began         *model.Observation
	Ended         *model.Observation // nil if it lasted to the end of the run
	From, To      model.Stamp
	// Stays are the nodes at which its owner uses it, beginning with the first, and Renewals are the times from which it has
	// another end.
	Stays    []Stay
	Renewals []Renewal
	// Notice is the note that notifies the owner of the end, and Learned is when the owner learns of it.
	Notice  *model.Observation
	Learned model.Stamp
	// Unaware is until when the owner, if there is one, does not know of an end that it has not requested: until it learns of
	// it, crashes, or the run ends. An owner that never learns of it, and has another such subject, has given this one up.
	Unaware model.Stamp
	// Line is the last line about it before its end.
	Line *model.Observation
	// Slot is its place below its record, from 0: the first that was free when it began, MaxQueue if none was.
	Slot int
}

// Stay is a note from which a subject's owner was at a node.
type Stay struct {
	Node string
	From model.Stamp
	Note *model.Observation
}

// Renewal is a time from which a subject has another end.
type Renewal struct {
	At   model.Stamp
	Ends time.Duration
}

// Holds reports whether an event is within the life.
func (x *Life) Holds(seq int64) bool { return x.From.Seq <= seq && seq < x.To.Seq }

// End returns the note that ended it; the zero Note if none did.
func (x *Life) End() model.Note {
	if x.Ended == nil {
		return model.Note{}
	}
	return *x.Ended.Note
}

// Longest returns the longest time that the subject had left at any moment.
func (x *Life) Longest() time.Duration {
	most := time.Duration(0)
	for _, r := range x.Renewals {
		most = max(most, r.Ends-r.At.At)
	}
	return most
}

// Lives are the subjects of a store's notes.
type Lives struct {
	*Facts
	All []Life // in the order in which they began
	// byName and ofClient have the indices of the lives in lanes, by subject and by owner; inside has those drawn inside a
	// lane, by the lane's subject.
	byName           map[string]int
	OfClient, Inside map[string][]int
	// Nouns are those of the lanes, in the order in which they appear.
	Nouns []string
	// Answers are, by the event of a note without duration, the first later one that answers it.
	Answers  map[int64]*model.Observation
	receipts receipts
}

// NodeOf returns the node at which a noun's subjects were first seen.
func (l *Lives) NodeOf(noun string) string {
	for i := range l.All {
		if n := l.All[i].Began.Note; n.Place == model.PlaceLane && n.Noun == noun {
			return l.All[i].Node
		}
	}
	return ""
}

// spot identifies a subject: by its node or, in a lane, without one.
type spot struct {
	place         model.Place
	node, subject string
}

func spotOf(o *model.Observation) spot {
	p := spot{o.Note.Place, o.Node, o.Note.Subject}
	if p.place == model.PlaceLane {
		p.node = ""
	}
	return p
}

// newLives follows the notes through the run.
func newLives(f *Facts) *Lives {
	s := &Lives{Facts: f, receipts: receipts{}, byName: map[string]int{}, OfClient: map[string][]int{}, Inside: map[string][]int{}, Answers: map[int64]*model.Observation{}}
	crashed := map[string]model.Stamp{}
	open := map[spot]int{}
	queues, strips := queues{}, strips{}
	for i := range s.Trace.History.Observations {
		o := &s.Trace.History.Observations[i]
		if _, dead := crashed[o.Node]; o.Kind == model.Crashed && !dead {
			crashed[o.Node] = o.Stamp
		}
		if o.Note == nil {
			continue
		}
		index, found := open[spotOf(o)]
		switch {
		case o.Note.Phase == "":
			if o.Note.Place == model.PlaceStrip {
				strips.follow(o, s.Answers)
			}
		case found && o.Note.Phase != model.PhaseBegins:
			x := &s.All[index]
			s.follow(x, o)
			if x.Ended == o && x.Place != model.PlaceLane { // the owner of a subject in a lane may still learn of it
				delete(open, spotOf(o))
				queues.leave(x)
			}
		case !found && o.Note.Phase == model.PhaseBegins:
			open[spotOf(o)] = len(s.All)
			s.begin(o, queues)
		}
	}
	for i := range s.All {
		x := &s.All[i]
		if x.Unaware = x.To; x.Place == model.PlaceLane && x.Client != "" {
			x.Unaware = s.unaware(x, crashed[x.Client])
		}
	}
	return s
}

// begin adds the life that a note begins.
func (l *Lives) begin(o *model.Observation, q queues) {
	n := len(l.All)
	x := Life{
		Place: o.Note.Place, Node: o.Node, Subject: o.Note.Subject, Client: o.Owner.Client, Began: o, Line: o,
		From: o.Stamp, To: RunEnd(l.Trace),
		Stays: []Stay{{o.Node, o.Stamp, o}}, Renewals: []Renewal{{o.Stamp, o.ExpiresAt}},
	}
	switch x.Place {
	case model.PlaceLane:
		l.byName[x.Subject] = n
		l.OfClient[x.Client] = append(l.OfClient[x.Client], n)
		if !slices.Contains(l.Nouns, o.Note.Noun) {
			l.Nouns = append(l.Nouns, o.Note.Noun)
		}
	case model.PlaceInside:
		l.Inside[x.Subject] = append(l.Inside[x.Subject], n)
	case model.PlaceRecord:
		q.join(&x)
	}
	l.All = append(l.All, x)
}

// follow adds a later note to a life.
func (l *Lives) follow(x *Life, o *model.Observation) {
	if o.Note.Line != "" && o.Note.Phase != model.PhaseEnds && o.Note.Phase != model.PhaseTold {
		x.Line = o
	}
	switch o.Note.Phase {
	case model.PhaseRenews:
		x.Renewals = append(x.Renewals, Renewal{o.Stamp, o.ExpiresAt})
	case model.PhaseMoves:
		if x.Stays[len(x.Stays)-1].Node != o.Node {
			x.Stays = append(x.Stays, Stay{o.Node, o.Stamp, o})
		}
	case model.PhaseEnds:
		x.To, x.Ended = o.Stamp, o
	case model.PhaseTold:
		if !x.Learned.Happened() {
			x.Learned, x.Notice = l.reaches(o), o
		}
	}
}

// queues are the occupied places below records.
type queues map[spot][MaxQueue + 1]bool

func (q queues) join(x *Life) {
	at := spot{node: x.Node, subject: x.Began.Note.Record}
	taken := q[at]
	x.Slot = min(slices.Index(append(taken[:], false), false), MaxQueue)
	taken[x.Slot] = true
	q[at] = taken
}

func (q queues) leave(x *Life) {
	at := spot{node: x.Node, subject: x.Began.Note.Record}
	taken := q[at]
	taken[x.Slot] = false
	q[at] = taken
}

// strips are the unanswered notes without duration at nodes, by node, connection and subject.
type strips map[stripped][]int64

type stripped struct {
	node, client string
	conn         int
	subject      string
}

// follow records which notes this one answers.
func (p strips) follow(o *model.Observation, answers map[int64]*model.Observation) {
	key := func(subject string) stripped {
		return stripped{o.Node, o.Owner.Client, o.Owner.Conn, subject}
	}
	for _, subject := range o.Note.Refs {
		for _, seq := range p[key(subject)] {
			answers[seq] = o
		}
		delete(p, key(subject))
	}
	if len(o.Note.Refs) == 0 && o.Note.Subject != "" {
		p[key(o.Note.Subject)] = append(p[key(o.Note.Subject)], o.Seq)
	}
}

// inLane returns the life of a subject in a lane, or nil.
func (l *Lives) inLane(subject string) *Life {
	if i, known := l.byName[subject]; known {
		return &l.All[i]
	}
	return nil
}

// waitingAt returns the life of a subject that waits at a node at an event, or nil.
func (l *Lives) waitingAt(node, subject string, seq int64) *Life {
	i := slices.IndexFunc(l.All, func(x Life) bool {
		return x.Place == model.PlaceRecord && x.Node == node && x.Subject == subject && x.Holds(seq)
	})
	if i < 0 {
		return nil
	}
	return &l.All[i]
}

// Circle returns the lives that wait for each other according to a note: each for the next one's record.
func (l *Lives) Circle(o *model.Observation) []*Life {
	var list []*Life
	for _, subject := range o.Note.Refs {
		x := l.waitingAt(o.Node, subject, o.Seq-1)
		if x == nil {
			return nil
		}
		list = append(list, x)
	}
	return list
}

// reaches returns when a client notices a message that a node sends at the time of an observation, on the connection of
// the observation's owner. It is zero if the client never does.
func (l *Lives) reaches(o *model.Observation) model.Stamp {
	list := l.receipts.of(l.Trace, o.Owner)
	after := sort.Search(len(list), func(i int) bool { return list[i].Seq >= o.Seq })
	for _, e := range list[after:] {
		if e.Sent < o.At {
			continue
		}
		at := model.Stamp{Seq: e.Seq, At: e.At}
		for _, p := range l.Pauses {
			if p.Actor == e.Actor && p.From.Seq <= e.Seq && e.Seq < p.To.Seq {
				at = p.To
			}
		}
		return at
	}
	return model.Stamp{}
}

// receipts are the segments that arrive at clients, by their end of the connection. They are collected on first use.
type receipts map[model.Origin][]*sim.Event

func (r receipts) of(t *traces.Trace, end model.Origin) []*sim.Event {
	if len(r) == 0 {
		r[model.Origin{}] = nil
		for i := range t.Events {
			if e := &t.Events[i]; e.Kind == sim.EventDeliver {
				at := model.Origin{Client: e.Actor, Conn: e.Conn}
				r[at] = append(r[at], e)
			}
		}
	}
	return r[model.Origin{Client: end.Client, Conn: end.Conn}]
}

// unaware computes [Life.Unaware]; crashed is when the owner crashed, if it did.
func (l *Lives) unaware(x *Life, crashed model.Stamp) (to model.Stamp) {
	to = x.Learned
	if !to.Happened() {
		if l.nextLife(x, x.From.Seq) != nil {
			return x.To
		}
		to = RunEnd(l.Trace)
	}
	if crashed.Happened() && crashed.Seq < to.Seq {
		to = crashed
	}
	if to.Seq < x.To.Seq {
		return x.To
	}
	return to
}

// nextLife returns the first life of a client in a lane that began after an event, or nil.
func (l *Lives) nextLife(x *Life, seq int64) *Life {
	list := l.OfClient[x.Client]
	i := sort.Search(len(list), func(i int) bool { return l.All[list[i]].From.Seq > seq })
	if i == len(list) {
		return nil
	}
	return &l.All[list[i]]
}

// MaxQueue is the number of waiting subjects for which a row has room.
const MaxQueue = 4
