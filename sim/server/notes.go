package server

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// Sessions makes the notes about clients' sessions, leases or connections, which a store keeps as
// long as it hears of the client. Each client has a row of the lane for its own.
type Sessions struct {
	// Noun is the store's word for a session.
	Noun string
	// Ends and Ended are the store's verb for a session that ends by itself: "expires"
	// and "expired".
	Ends, Ended string
}

// Opened returns the note that a client has opened a session at the node. Ends is when the session ends
// unless it is renewed, 0 if unknown.
func (s Sessions) Opened(name string, ends time.Duration) *model.Note {
	n := model.Note{
		Event: "session-opened", Subject: name, Place: model.PlaceLane, Phase: model.PhaseBegins, Noun: s.Noun,
		Title: "{owner}'s " + s.Noun + " {subject}", Label: "{owner}'s " + s.Noun + ", at {node}", Short: "{owner}'s " + s.Noun,
		Line: heard,
	}
	if ends == 0 {
		n.Line = "It was opened at {at}."
	}
	return &n
}

// heard says when a client was heard of.
const heard = "The {serving} heard of {owner} last by {at}; it would end at {expires}."

// Renewed returns the note that a session has been renewed, and ends later.
func (s Sessions) Renewed(name string) *model.Note {
	return &model.Note{Event: "session-renewed", Subject: name, Place: model.PlaceLane, Phase: model.PhaseRenews, Line: heard}
}

// Moved returns the note that a client has moved its session to the node.
func (s Sessions) Moved(name string) *model.Note {
	return &model.Note{
		Event: "session-moved", Subject: name, Place: model.PlaceLane, Phase: model.PhaseMoves,
		Label: "now at {node}", Short: "{node}", Text: "{owner} goes on with its " + s.Noun + " at {node}",
	}
}

// Expired returns the note that a session has ended by itself. Its client does not know that yet.
func (s Sessions) Expired(name string) *model.Note {
	return &model.Note{
		Event: "session-expired", Subject: name, Place: model.PlaceLane, Phase: model.PhaseEnds, Bad: true,
		Title: "{owner} does not know that its " + s.Noun + " has " + s.Ended, Label: s.Noun + " " + s.Ends, Short: s.Ends,
		Line: "It " + s.Ended + " at {at}.", State: "has " + s.Ended, Text: "{node}: {owner}'s " + s.Noun + " " + s.Ends,
	}
}

// Closed returns the note that a request of its client has ended a session.
func (s Sessions) Closed(name string) *model.Note {
	return &model.Note{
		Event: "session-closed", Subject: name, Place: model.PlaceLane, Phase: model.PhaseEnds, Line: "Its client closed it at {at}.",
	}
}

// Refused returns the note that a client learns from the node that its session has ended.
func (s Sessions) Refused(name string) *model.Note {
	what := "that its " + s.Noun + " has " + s.Ended
	return &model.Note{
		Event: "session-refused", Subject: name, Place: model.PlaceLane, Phase: model.PhaseTold,
		Title: "{owner} learns from {node} " + what, Label: "{owner} learns of it", Short: "learns",
		Line: "{node} told its client at {at}.", Text: "{owner} learns from {node}, {later} later, " + what,
	}
}

// Watched returns the note that a client sets a watch on a record, or on the records below it.
func Watched(key string, below bool) *model.Note {
	n := model.Note{
		Event: "watch-set", Subject: watch(key, below), Place: model.PlaceStrip, Mark: model.MarkEye, Record: key,
		Title: "{node}: {owner} watches {record}", Label: "{owner} watches {record}", Short: "{owner} watches", Text: "{owner} watches {record} at {node}",
	}
	if below {
		n.Title, n.Label, n.Text = "{node}: {owner} watches the children of {record}", "{owner} watches the children of {record}", "{owner} watches the children of {record} at {node}"
	}
	return &n
}

// Fired returns the note that the node sends a client the event of a watch: what has happened to the
// record, or, without a kind, that the records below it have changed.
func Fired(key string, saw model.ObservationKind) *model.Note {
	what := "{record} was " + string(saw)
	n := model.Note{Event: "watch-fired", Subject: key, Detail: string(saw), Refs: []string{watch(key, false)}}
	switch saw {
	case "":
		n.Subject, n.Refs = watch(key, true), []string{watch(key, true)}
		what = "the children of {record} have changed"
	case model.RecordDeleted: // this ends a watch of its children, too
		n.Refs = append(n.Refs, watch(key, true))
	}
	n.Place, n.Mark, n.Record = model.PlaceStrip, model.MarkBell, key
	n.Title, n.Label, n.Short, n.Text = "{node}: tells {owner}: "+what, "tells {owner}: "+what, "tells {owner}", "{node} tells {owner} that "+what
	return &n
}

// watch names what is watched.
func watch(key string, below bool) string {
	if below {
		return key + ", children"
	}
	return key
}

// Failed returns the note that the server answers a request with an error of its own, which it has carried out or not.
func Failed(answer string, done bool) *model.Note {
	n := model.Note{Event: "request-failed", Bad: true, Text: "{node} answers a request of {owner} with " + answer + ", and has not carried it out"}
	if done {
		n.Event, n.Text = "request-failed-done", "{node} answers a request of {owner} with "+answer+", and has carried it out"
	}
	return &n
}
