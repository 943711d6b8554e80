package simredis

import (
	"slices"
	"strconv"

	"github.com/lockpick-dev/lockpick/model"
)

// This file shows where the keys of a slot really are, from its first move on, and the clients concerned: those
// that are redirected, and those whose keys are of several slots.

// shownSlot is a slot as shown last: its owner, and the node to which the owner redirects clients for keys that it
// does not have, nil if there is none that would serve them.
type shownSlot struct {
	slot      int
	owner, to *Node
}

// watch shows a slot from now on. It is called before the slot is opened: its owner at that time is shown first.
func (b *Shards) watch(slot int) {
	if !slices.ContainsFunc(b.shown, func(s shownSlot) bool { return s.slot == slot }) {
		b.shown = append(b.shown, shownSlot{slot: slot})
		b.show()
	}
}

// show shows the slots that have changed.
func (b *Shards) show() {
	for i := range b.shown {
		s := &b.shown[i]
		now := b.standing(s.slot)
		if now.owner == nil || now == *s {
			continue // nobody owns it for a moment
		}
		before := *s
		*s = now
		part, sentTo := strconv.Itoa(s.slot), ""
		if s.to != nil {
			sentTo = s.to.Name()
		}
		s.owner.Observe(model.Observation{Kind: model.Assigned, Authority: s.owner.Name(), Part: part, SentTo: sentTo})
		if before.owner != nil {
			s.owner.Observe(model.Observation{Kind: model.Noted, Note: s.note(before)})
		}
	}
}

// standing returns where the keys of a slot are.
func (b *Shards) standing(slot int) shownSlot {
	s := shownSlot{slot: slot, owner: b.ownerOf(slot)}
	if s.owner == nil {
		return s
	}
	if to, migrating := s.owner.member.migrating[slot]; migrating {
		if _, importing := b.members[to].importing[slot]; importing {
			s.to = b.members[to].node
		}
	}
	return s
}

// note reports the change.
func (s *shownSlot) note(before shownSlot) *model.Note {
	n := model.Note{Event: "slot-moves", Subject: "slot " + strconv.Itoa(s.slot), Place: model.PlaceStrip}
	switch {
	case s.owner != before.owner:
		n.Event, n.Text, n.Label = "slot-moved", "{node} owns {subject} from now on", "owns {subject}"
	case s.to != nil:
		n.Text = "{node} begins to hand {subject} over to " + s.to.Name() + ", and sends clients there for keys that it does not have"
		n.Label = "hands {subject} over"
	default:
		n.Event, n.Text, n.Label = "slot-kept", "{node} keeps {subject}, and sends clients nowhere else any more", "keeps {subject}"
	}
	n.Title = "{node}: " + n.Label
	return &n
}

// SentOn is the event of the note on a client that got the answer ASK.
const SentOn = "sent-on"

// sentOn notes that a client got the answer ASK.
func (m *member) sentOn(c *conn, slot, to int) {
	if c.sock == nil {
		return
	}
	name := m.bus.members[to].node.Name()
	m.node.Observe(model.Observation{Kind: model.Noted, Owner: c.origin(), By: c.origin(), Note: &model.Note{
		Event: SentOn, Subject: "slot " + strconv.Itoa(slot), Detail: name, Place: model.PlaceStrip,
		Title: "{node}: ASK " + name, Label: "{owner}: ASK " + name, Short: "ASK",
		Text: "{node} has no such key any more, or not yet, and sends {owner} to " + name + " (ASK)",
	}})
}

// StaleSlots is the event of the note on a client that got an outdated owner of a slot.
const StaleSlots = "stale-slots"

// noteStaleSlots notes if the owners sent to a client are outdated for slots that clients have used: each node learns by itself of a new owner.
func (m *member) noteStaleSlots(c *conn) {
	if c.sock == nil {
		return
	}
	for _, slot := range m.bus.Used() {
		sent, owner := int(m.slots[slot]), m.bus.ownerOf(slot)
		if owner == nil || sent == nobody || m.bus.members[sent].node == owner {
			continue
		}
		name := m.bus.members[sent].node.Name()
		m.node.Observe(model.Observation{Kind: model.Noted, Owner: c.origin(), By: c.origin(), Note: &model.Note{
			Event: StaleSlots, Subject: "slot " + strconv.Itoa(slot), Detail: name, Place: model.PlaceStrip,
			Title: "{node}: stale slots", Label: "{owner}: stale slots", Short: "stale",
			Text: "{node} tells {owner} that {subject} is " + name + "'s; it has not heard of " + owner.Name() + " yet",
		}})
	}
}

// scattered reports that a request was refused because its keys are of several slots.
func (m *member) scattered(c *conn) {
	if c.sock != nil {
		m.node.Observe(model.Observation{Kind: model.Scattered, By: c.origin()})
	}
}
