package traces

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/packed"
	"github.com/lockpick-dev/lockpick/model"
)

// Traces from before notes existed describe a store's state by observations of kinds of their own, with two fields of
// their own. They are read as the notes that stores first made of the same events. Only this file knows the old kinds.

// oldTrace is a trace in such a file.
type oldTrace struct {
	Trace
	History oldHistory `json:"history"`
}

type oldHistory struct {
	model.History
	Observations []oldObservation `json:"observations"`
}

type oldObservation struct {
	model.Observation
	Watch *struct {
		Key   string                `json:"key"`
		Below bool                  `json:"below"`
		Saw   model.ObservationKind `json:"saw"`
	} `json:"watch"`
	Awaits string `json:"awaits"`
}

// oldKind finds an observation of an old kind in a file.
var oldKind = regexp.MustCompile(`"kind"\s*:\s*"(?:serving|leaderless|session-(?:opened|renewed|moved|expired|closed|refused)|watch-(?:set|fired)|` +
	`transaction-(?:began|committed|rolled-back|deadlocked)|wait-(?:began|granted|ended|refused))"`)

// unmarshalTrace decodes a trace, with or without notes.
func unmarshalTrace(data []byte) (*Trace, error) {
	if !oldKind.Match(data) {
		t := new(Trace)
		if err := packed.Decode(data, t); err != nil {
			return nil, explain(err, data)
		}
		return t, nil
	}
	var old oldTrace
	if err := packed.Decode(data, &old); err != nil {
		return nil, explain(err, data)
	}
	t := &old.Trace
	t.History = old.History.History
	c := converter{noun: cmp.Or(t.Terms.Session, "session"), expires: map[string]bool{}, holders: map[oldPlace]string{}, waits: map[oldPlace]string{}}
	for i := range old.History.Observations {
		if o := &old.History.Observations[i]; o.ExpiresAt > o.At && o.Key == "" {
			c.expires[o.Session] = true
		}
	}
	for i := range old.History.Observations {
		o := &old.History.Observations[i]
		if err := c.convert(o); err != nil {
			return nil, fmt.Errorf("trace: history.observations[%d]: %w; the file was damaged or edited: record the run again", i, err)
		}
		t.History.Observations = append(t.History.Observations, o.Observation)
	}
	return t, nil
}

// oldPlace is a record, or a session, at a node.
type oldPlace struct{ node, name string }

// converter converts observations of the old kinds into notes, in their order.
type converter struct {
	noun string
	// expires has the sessions whose end was fixed in advance.
	expires map[string]bool
	// holders are the sessions that records live with, and waits the records that sessions wait for, by place.
	holders, waits map[oldPlace]string
}

// convert adds a note to an observation of an old kind.
func (c *converter) convert(o *oldObservation) error {
	if o.Kind.OfRecord() {
		c.holders[oldPlace{o.Node, o.Key}] = o.Session
		if o.Kind != model.RecordCreated && o.Kind != model.RecordChanged {
			delete(c.holders, oldPlace{o.Node, o.Key})
		}
		return nil
	}
	var n *model.Note
	switch o.Kind {
	case "serving":
		n = &model.Note{Role: model.RoleServing}
	case "leaderless":
		n = &model.Note{Role: model.RoleAlone, Text: "{node} is the {serving} no longer"}
	case "session-opened", "session-renewed", "session-moved", "session-expired", "session-closed", "session-refused":
		n = c.session(o)
	case "transaction-began", "transaction-committed", "transaction-rolled-back", "transaction-deadlocked":
		n = oldTransaction(o)
	case "wait-began", "wait-granted", "wait-ended", "wait-refused":
		n = c.wait(o)
	case "watch-set", "watch-fired":
		if o.Watch == nil || o.Watch.Key == "" {
			return fmt.Errorf("what is watched is missing")
		}
		n = oldWatch(o)
	default:
		return nil
	}
	n.Event, o.Kind, o.Note, o.Session = string(o.Kind), model.Noted, n, ""
	return nil
}

// session returns the note of a session.
func (c *converter) session(o *oldObservation) *model.Note {
	n := &model.Note{Subject: o.Session, Place: model.PlaceLane}
	ends, ended, own := "ends", "ended", "{owner}'s "+c.noun
	if c.expires[o.Session] {
		ends, ended = "expires", "expired"
	}
	const heard = "The {serving} heard of {owner} last by {at}; it would end at {expires}."
	switch o.Kind {
	case "session-opened":
		n.Phase, n.Noun, n.Title, n.Label, n.Short, n.Line = model.PhaseBegins, c.noun, own+" {subject}", own+", at {node}", own, heard
		if o.ExpiresAt == 0 {
			n.Line = "It was opened at {at}."
		}
	case "session-renewed":
		n.Phase, n.Line = model.PhaseRenews, heard
	case "session-moved":
		n.Phase, n.Label, n.Short, n.Text = model.PhaseMoves, "now at {node}", "{node}", "{owner} goes on with its "+c.noun+" at {node}"
	case "session-expired":
		n.Phase, n.Bad, n.Title, n.Label, n.Short = model.PhaseEnds, true, "{owner} does not know that its "+c.noun+" has "+ended, c.noun+" "+ends, ends
		n.Line, n.State, n.Text = "It "+ended+" at {at}.", "has "+ended, "{node}: "+own+" "+ends
	case "session-closed":
		n.Phase, n.Line = model.PhaseEnds, "Its client closed it at {at}."
	case "session-refused":
		n.Phase, n.Title, n.Label, n.Short = model.PhaseTold, "{owner} learns from {node} that its "+c.noun+" has "+ended, "{owner} learns of it", "learns"
		n.Line, n.Text = "{node} told its client at {at}.", "{owner} learns from {node}, {later} later, that its "+c.noun+" has "+ended
	}
	return n
}

// oldTransaction returns the note of a transaction.
func oldTransaction(o *oldObservation) *model.Note {
	n := &model.Note{Subject: o.Session, Place: model.PlaceInside, Phase: model.PhaseEnds}
	switch o.Kind {
	case "transaction-began":
		n.Phase, n.Title, n.Unended = model.PhaseBegins, "{owner}'s transaction", "It is open when the run ends."
	case "transaction-committed":
		n.Line = "It is committed."
	case "transaction-rolled-back":
		n.Bad, n.Label, n.Short, n.Line = true, "transaction rolled back", "rolled back", "It is rolled back."
	case "transaction-deadlocked":
		n.Place, n.Phase, n.Bad, n.Text = "", "", true, "{node} ends {owner}'s transaction because of a deadlock"
	}
	return n
}

// wait returns the note of a session that waits for a record.
func (c *converter) wait(o *oldObservation) *model.Note {
	n := &model.Note{Subject: o.Session, Detail: o.Awaits, Place: model.PlaceRecord, Phase: model.PhaseEnds, Record: o.Awaits}
	switch o.Kind {
	case "wait-began":
		n.Phase, n.Title, n.Unended = model.PhaseBegins, "{owner} waits for {held}", "It still waits when the run ends."
	case "wait-granted":
		n.Line = "Then it has it."
	case "wait-ended":
		n.Line = "Then it gives up, or has waited for too long."
	case "wait-refused":
		n.Bad, n.Line = true, "It is refused: those who wait would wait for each other for ever."
		n.Text, n.Refs = "{node} lets {owner} not wait for {record}", c.circle(o)
		if n.Refs != nil {
			n.Label, n.Text = "deadlock", "{node} refuses {owner}'s request: {refs} would wait for each other for ever"
		}
	}
	if at := (oldPlace{o.Node, o.Session}); n.Phase == model.PhaseBegins {
		c.waits[at] = o.Awaits
	} else {
		delete(c.waits, at)
	}
	return n
}

// circle returns the sessions that wait for each other, from that of an observation on: each for a record of the next one;
// nil if the records' sessions do not show that.
func (c *converter) circle(o *oldObservation) []string {
	const most = 8
	list, awaits := []string{o.Session}, o.Awaits
	for len(list) < most {
		next := c.holders[oldPlace{o.Node, awaits}]
		if next == o.Session {
			return list
		}
		if awaits = c.waits[oldPlace{o.Node, next}]; awaits == "" || slices.Contains(list, next) {
			return nil
		}
		list = append(list, next)
	}
	return nil
}

// oldWatch returns the note of a watch.
func oldWatch(o *oldObservation) *model.Note {
	key, name, what, saw := o.Watch.Key, o.Watch.Key, "{record}", "{record} was "+string(o.Watch.Saw)
	if o.Watch.Below {
		name, what, saw = key+", children", "the children of {record}", "the children of {record} have changed"
	}
	n := &model.Note{Subject: name, Place: model.PlaceStrip, Record: key, Mark: model.MarkEye}
	if o.Kind == "watch-set" {
		n.Title, n.Label, n.Short, n.Text = "{node}: {owner} watches "+what, "{owner} watches "+what, "{owner} watches", "{owner} watches "+what+" at {node}"
		return n
	}
	n.Mark, n.Detail, n.Refs = model.MarkBell, string(o.Watch.Saw), []string{name}
	if o.Watch.Saw == model.RecordDeleted { // this ends a watch of its children, too
		n.Refs = append(n.Refs, key+", children")
	}
	n.Title, n.Label, n.Short, n.Text = "{node}: tells {owner}: "+saw, "tells {owner}: "+saw, "tells {owner}", "{node} tells {owner} that "+saw
	return n
}
