package render

import (
	"slices"
	"sort"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// life is a subject of a store from the note that begins it to the one that ends it: a bar of
// the picture.
type life struct {
	place         model.Place
	node, subject string
	client        string // its owner; empty if it has none
	began         *model.Observation
	ended         *model.Observation // nil if it lasted to the end of the run
	from, to      model.Stamp
	// stays are the nodes at which its owner goes on with it, the first where it began, and renewals
	// the moments from which on it ends at another time.
	stays    []stay
	renewals []renewal
	// told is the note that tells the owner of the end, and learnt the moment from which it
	// knows of it.
	told   *model.Observation
	learnt model.Stamp
	// unaware is until when the owner, if there is one, does not know of an end that it has not asked for:
	// until it is told, crashes, or the run ends. An owner that is never told, and has
	// another such subject, has given this one up.
	unaware model.Stamp
	// line is the last line about it before its end.
	line *model.Observation
	// slot is its place below its record, from 0: the first that was free when it began,
	// maxQueue if none was.
	slot int
}

// stay is a note from which on a subject's owner was at a node.
type stay struct {
	node string
	from model.Stamp
	note *model.Observation
}

// renewal is a moment from which on a subject has another end.
type renewal struct {
	at   model.Stamp
	ends time.Duration
}

// holds reports whether an event falls into the life.
func (x *life) holds(seq int64) bool { return x.from.Seq <= seq && seq < x.to.Seq }

// end is the note that ended it; the zero Note if none did.
func (x *life) end() model.Note {
	if x.ended == nil {
		return model.Note{}
	}
	return *x.ended.Note
}

// longest is the longest that the subject had left at any time.
func (x *life) longest() time.Duration {
	most := time.Duration(0)
	for _, r := range x.renewals {
		most = max(most, r.ends-r.at.At)
	}
	return most
}

// lives are what a store has shown of itself.
type lives struct {
	all []life // in the order in which they began
	// byName are the indices of those in lanes by subject, and ofClient by owner; inside are, by the subject
	// of a lane, those of what is drawn inside it.
	byName           map[string]int
	ofClient, inside map[string][]int
	// nouns are those of the lanes, in the order in which they appear.
	nouns []string
	// answers are, by the event of a moment, the first later one that answers it.
	answers map[int64]*model.Observation
}

// nodeOf is the node at which what a noun names was seen first.
func (l *lives) nodeOf(noun string) string {
	for i := range l.all {
		if n := l.all[i].began.Note; n.Place == model.PlaceLane && n.Noun == noun {
			return l.all[i].node
		}
	}
	return ""
}

// spot is where a subject is one and the same: at its node or, in a lane, anywhere.
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

// findLives follows the notes through the run.
func (s *story) findLives() {
	s.lives = lives{byName: map[string]int{}, ofClient: map[string][]int{}, inside: map[string][]int{}, answers: map[int64]*model.Observation{}}
	crashed := map[string]model.Stamp{}
	open := map[spot]int{}
	queues, strips := queues{}, strips{}
	s.receipts = receipts{}
	for i := range s.t.History.Observations {
		o := &s.t.History.Observations[i]
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
				strips.follow(o, s.lives.answers)
			}
		case found && o.Note.Phase != model.PhaseBegins:
			x := &s.lives.all[index]
			s.follow(x, o)
			if x.ended == o && x.place != model.PlaceLane { // the owner of what is in a lane may learn of it later
				delete(open, spotOf(o))
				queues.leave(x)
			}
		case !found && o.Note.Phase == model.PhaseBegins:
			open[spotOf(o)] = len(s.lives.all)
			s.begin(o, queues)
		}
	}
	for i := range s.lives.all {
		x := &s.lives.all[i]
		if x.unaware = x.to; x.place == model.PlaceLane && x.client != "" {
			x.unaware = s.unaware(x, crashed[x.client])
		}
	}
}

// begin adds the life that a note begins.
func (s *story) begin(o *model.Observation, q queues) {
	n := len(s.lives.all)
	x := life{
		place: o.Note.Place, node: o.Node, subject: o.Note.Subject, client: o.Owner.Client, began: o, line: o,
		from: o.Stamp, to: model.Stamp{Seq: s.t.LastSeq() + 1, At: s.t.EndAt()},
		stays: []stay{{o.Node, o.Stamp, o}}, renewals: []renewal{{o.Stamp, o.ExpiresAt}},
	}
	switch x.place {
	case model.PlaceLane:
		s.lives.byName[x.subject] = n
		s.lives.ofClient[x.client] = append(s.lives.ofClient[x.client], n)
		if !slices.Contains(s.lives.nouns, o.Note.Noun) {
			s.lives.nouns = append(s.lives.nouns, o.Note.Noun)
		}
	case model.PlaceInside:
		s.lives.inside[x.subject] = append(s.lives.inside[x.subject], n)
	case model.PlaceRecord:
		q.join(&x)
	}
	s.lives.all = append(s.lives.all, x)
}

// follow applies a later note to a life.
func (s *story) follow(x *life, o *model.Observation) {
	if o.Note.Line != "" && o.Note.Phase != model.PhaseEnds && o.Note.Phase != model.PhaseTold {
		x.line = o
	}
	switch o.Note.Phase {
	case model.PhaseRenews:
		x.renewals = append(x.renewals, renewal{o.Stamp, o.ExpiresAt})
	case model.PhaseMoves:
		if x.stays[len(x.stays)-1].node != o.Node {
			x.stays = append(x.stays, stay{o.Node, o.Stamp, o})
		}
	case model.PhaseEnds:
		x.to, x.ended = o.Stamp, o
	case model.PhaseTold:
		if !x.learnt.Happened() {
			x.learnt, x.told = s.reaches(o), o
		}
	}
}

// queues are the places below records that are taken.
type queues map[spot][maxQueue + 1]bool

func (q queues) join(x *life) {
	at := spot{node: x.node, subject: x.began.Note.Record}
	taken := q[at]
	x.slot = min(slices.Index(append(taken[:], false), false), maxQueue)
	taken[x.slot] = true
	q[at] = taken
}

func (q queues) leave(x *life) {
	at := spot{node: x.node, subject: x.began.Note.Record}
	taken := q[at]
	taken[x.slot] = false
	q[at] = taken
}

// strips are the moments at nodes that no other has answered, by node, connection and subject.
type strips map[stripped][]int64

type stripped struct {
	node, client string
	conn         int
	subject      string
}

// follow notes which moments are answered by this one.
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

// inLane is the life of a subject in a lane, or nil.
func (s *story) inLane(subject string) *life {
	if i, known := s.lives.byName[subject]; known {
		return &s.lives.all[i]
	}
	return nil
}

// waitingAt is what a subject waits for at a node at an event, or nil.
func (s *story) waitingAt(node, subject string, seq int64) *life {
	i := slices.IndexFunc(s.lives.all, func(x life) bool {
		return x.place == model.PlaceRecord && x.node == node && x.subject == subject && x.holds(seq)
	})
	if i < 0 {
		return nil
	}
	return &s.lives.all[i]
}

// circle are the lives that wait for each other, as a note says: each for what the next one has.
func (s *story) circle(o *model.Observation) []*life {
	var list []*life
	for _, subject := range o.Note.Refs {
		x := s.waitingAt(o.Node, subject, o.Seq-1)
		if x == nil {
			return nil
		}
		list = append(list, x)
	}
	return list
}

// reaches is when a client notices what a node tells it at the moment of an observation,
// on the connection of the observation's owner. It is zero if the client never does.
func (s *story) reaches(o *model.Observation) model.Stamp {
	list := s.receipts.of(s.t, o.Owner)
	after := sort.Search(len(list), func(i int) bool { return list[i].Seq >= o.Seq })
	for _, e := range list[after:] {
		if e.Sent < o.At {
			continue
		}
		at := model.Stamp{Seq: e.Seq, At: e.At}
		for _, p := range s.pauses {
			if p.actor == e.Actor && p.from.Seq <= e.Seq && e.Seq < p.to.Seq {
				at = p.to
			}
		}
		return at
	}
	return model.Stamp{}
}

// receipts are the segments that arrive at clients, by the end of the connection at which
// they do. They are found when the first is asked for.
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

// unaware works out [life.unaware]; crashed is when the owner crashed, if it did.
func (s *story) unaware(x *life, crashed model.Stamp) (to model.Stamp) {
	to = x.learnt
	if !to.Happened() {
		if s.nextLife(x, x.from.Seq) != nil {
			return x.to
		}
		to = model.Stamp{Seq: s.t.LastSeq() + 1, At: s.t.EndAt()}
	}
	if crashed.Happened() && crashed.Seq < to.Seq {
		to = crashed
	}
	if to.Seq < x.to.Seq {
		return x.to
	}
	return to
}

// nextLife is the first life of a client in a lane that began after an event, or nil.
func (s *story) nextLife(x *life, seq int64) *life {
	list := s.lives.ofClient[x.client]
	i := sort.Search(len(list), func(i int) bool { return s.lives.all[list[i]].from.Seq > seq })
	if i == len(list) {
		return nil
	}
	return &s.lives.all[list[i]]
}

// maxQueue is how many waiting subjects a row has room for.
const maxQueue = 4
