package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/sim/payload"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// teller says what deviations from calm did, as far as the recording of the
// run shows it beyond doubt.
type teller struct {
	params Params
	*explore.Recording
	made map[string]sim.Choice // by decision
}

func newTeller(p Params, r *explore.Recording) *teller {
	if r == nil {
		r = &explore.Recording{}
	}
	t := &teller{params: p, Recording: r, made: make(map[string]sim.Choice, len(r.Choices))}
	for _, c := range r.Choices {
		t.made[c.ID()] = c
	}
	return t
}

// deviation says what a choice did, and in which event that shows; 0 if in
// none. Without better knowledge it names the decision.
func (t *teller) deviation(c sim.Choice) (text string, seq int64) {
	if made := t.made[c.ID()]; made.Option == c.Option {
		if tell := tellers[c.Kind]; tell != nil {
			text, seq = tell(t, made)
		}
	}
	if text == "" {
		return fmt.Sprintf("%s takes option %d", c.ID(), c.Option), 0
	}
	return text, seq
}

// tellers are those of each kind of decision.
var tellers = map[sim.Kind]func(*teller, sim.Choice) (string, int64){
	pauseFault:           (*teller).pause,
	hangFault:            (*teller).hang,
	failoverFault:        (*teller).failover,
	cancelFault:          (*teller).cancel,
	resetFault:           (*teller).reset,
	lostReplyFault:       (*teller).lost,
	crashFault:           (*teller).crash,
	restartFault:         (*teller).restart,
	cleanRestartFault:    (*teller).restart,
	partitionFault:       (*teller).partition,
	partitionHolds:       (*teller).partition,
	partitionLasts:       (*teller).partition,
	partitionPromote:     (*teller).partition,
	skewFault:            (*teller).skew,
	clockJumpFault:       (*teller).jump,
	serverClockJumpFault: (*teller).jump,
	sim.Unread:           (*teller).unread,
	sim.Delay:            (*teller).late,
	lateReplyFault:       (*teller).late,
	lateRequestFault:     (*teller).late,
	sim.Latency:          (*teller).slow,
	sim.Order:            (*teller).order,
}

// next is the first event after a number that is as asked for, or nil.
func (t *teller) next(after int64, is func(*sim.Event) bool) *sim.Event {
	for i := range t.Events {
		if e := &t.Events[i]; e.Seq > after && is(e) {
			return e
		}
	}
	return nil
}

func anyEvent(*sim.Event) bool { return true }

// struck is the fault that struck when the decision was answered, or nil.
func (t *teller) struck(after int64, actor string, kind sim.FaultKind) *sim.Event {
	e := t.next(after, anyEvent)
	if e == nil || e.Kind != sim.EventFault || actor != "" && e.Actor != actor || !strings.HasPrefix(e.Detail, string(kind)) {
		return nil
	}
	return e
}

// observed is what was observed at an event, or nothing.
func (t *teller) observed(e *sim.Event) (none model.Observation) {
	for _, o := range t.History.Observations {
		if o.Seq == e.Seq {
			return o
		}
	}
	return none
}

func (t *teller) pause(c sim.Choice) (string, int64) { return t.stop(c, "pauses") }

func (t *teller) hang(c sim.Choice) (string, int64) { return t.stop(c, "hangs") }

func (t *teller) stop(c sim.Choice, verb string) (string, int64) {
	e := t.struck(c.After, c.Actor, sim.FaultPause)
	if e == nil {
		return "", 0
	}
	text := c.Actor + " " + verb
	if o := t.observed(e); o.For > 0 {
		text += " for " + traces.Briefly(o.For)
	}
	return text + " at " + traces.Moment(e.At), e.Seq
}

func (t *teller) crash(c sim.Choice) (string, int64) {
	e := t.struck(c.After, c.Actor, sim.FaultCrash)
	if e == nil {
		return "", 0
	}
	return c.Actor + " crashes at " + traces.Moment(e.At), e.Seq
}

// skew tells of a clock that is off from the beginning on.
func (t *teller) skew(c sim.Choice) (string, int64) {
	e := t.struck(c.After, "", sim.FaultSkew)
	if e == nil {
		return "", 0
	}
	o := t.observed(e)
	return fmt.Sprintf("the clock of %s %s", e.Actor, render.ClockText(&o)), e.Seq
}

func (t *teller) jump(c sim.Choice) (string, int64) {
	e := t.struck(c.After, c.Actor, sim.FaultJump)
	if e == nil {
		return "", 0
	}
	o := t.observed(e)
	return fmt.Sprintf("the clock of %s %s at %s", c.Actor, render.ClockText(&o), traces.Moment(e.At)), e.Seq
}

// lost tells of an answer that was lost with its connection: the next segment
// of that connection that is lost on its way to the client.
func (t *teller) lost(c sim.Choice) (string, int64) {
	e := t.struck(c.After, c.Actor, sim.FaultLost)
	if e == nil {
		return "", 0
	}
	if drop := t.next(e.Seq, func(n *sim.Event) bool { return n.Kind == sim.EventDrop && n.Actor == c.Actor }); drop != nil && drop.At == e.At {
		return segmentText(drop) + " is lost with its connection", drop.Seq
	}
	return fmt.Sprintf("an answer to %s is lost with its connection at %s", c.Actor, traces.Moment(e.At)), e.Seq
}

// unread tells of a reset that leaves to be read what has arrived.
func (t *teller) unread(c sim.Choice) (string, int64) {
	e := t.next(c.After, anyEvent)
	if e == nil || e.Kind != sim.EventReset || e.Actor != c.Actor || e.Detail != sim.UnreadKept {
		return "", 0
	}
	return fmt.Sprintf("%s can still read what had arrived from %s when the connection was reset at %s", e.Actor, e.Peer, traces.Moment(e.At)), e.Seq
}

// failover tells of a crash, and to which nodes what was replicated before
// never comes.
func (t *teller) failover(c sim.Choice) (string, int64) {
	e := t.struck(c.After, "", sim.FaultCrash)
	if e == nil {
		return "", 0
	}
	text := fmt.Sprintf("%s crashes at %s", e.Actor, traces.Moment(e.At))
	var lost []string
	for i := range t.Events {
		d := &t.Events[i]
		ours := d.Seq > e.Seq && d.Sent <= e.At && d.Kind == sim.EventDrop && d.Peer == e.Actor
		if ours && strings.HasPrefix(d.Detail, "replicate ") && !slices.Contains(lost, d.Actor) {
			lost = append(lost, d.Actor)
		}
	}
	if len(lost) > 0 {
		text += ", before its last write has reached " + strings.Join(lost, " and ")
	}
	return text, e.Seq
}

func (t *teller) cancel(c sim.Choice) (string, int64) {
	e := t.struck(c.After, c.Actor, cancelDetail)
	if e == nil {
		return "", 0
	}
	return fmt.Sprintf("the context of %s's acquire ends at %s", c.Actor, traces.Moment(e.At)), e.Seq
}

func (t *teller) reset(c sim.Choice) (string, int64) {
	e := t.struck(c.After, "", "reset")
	if e == nil {
		return "", 0
	}
	// Both ends learn of it a base latency later, unless they have gone.
	end := t.next(e.Seq, func(n *sim.Event) bool { return n.Kind == sim.EventReset && n.At == e.At+link(t.params, nil).Base })
	if end == nil {
		return "a connection is reset at " + traces.Moment(e.At), e.Seq
	}
	client, node := end.Actor, end.Peer
	if !t.isClient(client) {
		client, node = node, client
	}
	return fmt.Sprintf("the connection from %s to %s is reset at %s", client, node, traces.Moment(e.At)), end.Seq
}

func (t *teller) isClient(name string) bool {
	for i := range t.params.Clients {
		if clientName(i) == name {
			return true
		}
	}
	return false
}

func (t *teller) late(c sim.Choice) (string, int64) {
	e := t.struck(c.After, c.Actor, sim.FaultLate)
	if e == nil {
		return "", 0
	}
	by := t.observed(e).For
	if s := t.segment(c.Actor, c.After, by, true); s != nil {
		return segmentText(s) + " is late by " + traces.Briefly(by), s.Seq
	}
	return fmt.Sprintf("a segment that %s sends at %s is late by %s", c.Actor, traces.Moment(e.At), traces.Briefly(by)), e.Seq
}

func (t *teller) slow(c sim.Choice) (string, int64) {
	by := link(t.params, nil).Jitter * time.Duration(c.Option) / (sim.JitterSteps - 1)
	if s := t.segment(c.Actor, c.After, by, false); s != nil {
		return segmentText(s) + " is slow by " + traces.Briefly(by), s.Seq
	}
	e := t.next(c.After, anyEvent)
	if e == nil {
		return "", 0
	}
	return fmt.Sprintf("a segment that %s sends around %s is slow by %s", c.Actor, traces.Moment(e.At), traces.Briefly(by)), 0
}

// order tells which of the events that were due together went first: the next
// one of the log. If a fault came in between, that says nothing.
func (t *teller) order(c sim.Choice) (string, int64) {
	e := t.next(c.After, anyEvent)
	if e == nil || e.Kind == sim.EventFault {
		return "", 0
	}
	first := e.Actor + "'s"
	if e.Peer != "" {
		first = "what comes from " + e.Peer + " to " + e.Actor
	}
	return fmt.Sprintf("of %d events due together at %s, %s goes first", c.Options, traces.Moment(e.At), first), e.Seq
}

// segment is the one that an actor sent on being asked after an event, and
// that took so much longer than a calm one; nil if that is not certain.
func (t *teller) segment(from string, after int64, longer time.Duration, late bool) *sim.Event {
	var exact, possible []*sim.Event
	takes := link(t.params, nil).Base + longer
	for _, e := range t.sent(from, after) {
		took := e.At - e.Sent
		switch rounded := took-takes < sim.DefaultWindow && took >= takes; {
		case late && !e.Late:
		case rounded:
			exact = append(exact, e)
		case took > takes, e.Kind == sim.EventDrop: // it came behind another, or never
			possible = append(possible, e)
		}
	}
	if len(exact) == 0 {
		exact = possible
	}
	if len(exact) != 1 {
		return nil
	}
	return exact[0]
}

// sent are the ends of the ways of what an actor may have sent right after an
// event. Clients send at once; so do nodes what is no answer. An answer leaves
// when it has been worked out, and is the first on its connection.
func (t *teller) sent(from string, after int64) []*sim.Event {
	var begin, end time.Duration
	for i := range t.Events {
		if e := &t.Events[i]; e.Seq <= after {
			begin, end = e.At, e.At
		} else if e.Seq == after+1 {
			end = e.At
		}
	}
	answered := map[int]time.Duration{} // by connection, when the first answer left
	var list []*sim.Event
	for i := range t.Events {
		e := &t.Events[i]
		if e.Peer != from || e.Seq <= after || e.Sent < begin || e.Kind != sim.EventDeliver && e.Kind != sim.EventDrop && e.Kind != sim.EventDial {
			continue
		}
		switch {
		case t.isClient(from) && e.Sent > end, !t.isClient(from) && e.Conn == 0 && e.Sent > begin:
			continue
		case !t.isClient(from) && e.Conn != 0:
			if first, ok := answered[e.Conn]; ok && e.Sent > first {
				continue
			}
			answered[e.Conn] = e.Sent
		}
		list = append(list, e)
	}
	return list
}

// segmentText names a segment.
func segmentText(e *sim.Event) string {
	text := fmt.Sprintf("the segment from %s to %s sent at %s", e.Peer, e.Actor, traces.Moment(e.Sent))
	what := payload.Of(string(traces.RedisActor), e.Payload).Text
	switch {
	case e.Kind == sim.EventDial:
		what = "opening a connection"
	case what == "" && e.Conn == 0:
		what = e.Detail
	}
	if what == "" {
		return text
	}
	const most = 60
	if letters := []rune(what); len(letters) > most {
		what = string(letters[:most-1]) + "…"
	}
	return text + " (" + what + ")"
}
