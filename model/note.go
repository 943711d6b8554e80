package model

// Noted is the kind of an observation that has a [Note].
const Noted ObservationKind = "note"

// Note shows a part of a store's state beside its records: a session, a transaction, a wait for
// a lock. It is for the reader alone: no verdict depends on it, and runs that differ only in
// notes belong to one class. The store's server makes it, in the store's words. Texts and
// pictures use its place and its phase, and do not interpret its words.
//
// Notes with phases describe a subject that lasts. It is drawn as a bar from the note that
// begins it to the note that ends it. A note without a phase describes a moment, and is drawn as
// a mark. The observation has its node and its time. The observation's Owner is the client that
// the subject belongs to, if there is one; By is the origin of the note; ExpiresAt is when the
// subject ends unless it is renewed before.
//
// Texts have placeholders: {owner}, {node} and {by} for the names of participants, {subject},
// {record}, {held} for the record and who has it, {refs} for the owners of the subjects that
// Refs names, {at} for the time, {expires} for ExpiresAt, and {store}, {serving} and {follower}
// for the store's [Terms].
type Note struct {
	// Event names what happened. The log has it, with Subject and Detail.
	Event   string `json:"event"`
	Subject string `json:"subject,omitempty"`
	Detail  string `json:"detail,omitempty"`

	// Place is where the note is drawn, and Phase which part of its subject it marks.
	Place Place `json:"place,omitempty"`
	Phase Phase `json:"phase,omitempty"`
	// Bad is set if the event is unwanted: an end is crossed out, and steps name it first.
	Bad bool `json:"bad,omitempty"`
	// Mark is the mark of a moment in the strip of a node.
	Mark Mark `json:"mark,omitempty"`
	// Role is the role of its node from then on.
	Role Role `json:"role,omitempty"`
	// Record is the key of the record that the subject waits for ([PlaceRecord]).
	Record string `json:"record,omitempty"`
	// Refs are subjects. The Refs of a moment are the subjects of earlier moments that it answers,
	// at its node and on its owner's connection: a line joins each with its first answer. The Refs
	// of an end at [PlaceRecord] wait in a circle, the note's own first: each waits for a record that
	// the next one has.
	Refs []string `json:"refs,omitempty"`

	// Noun is what its subject is called, such as "session". Subjects of one noun share a lane
	// ([PlaceLane]).
	Noun string `json:"noun,omitempty"`
	// Title describes a bar or a mark under the pointer. Label is written at it, or Short, if
	// there is not enough room.
	Title string `json:"title,omitempty"`
	Label string `json:"label,omitempty"`
	Short string `json:"short,omitempty"`
	// Line is a sentence about the subject. A bar shows the Line of the last note before its
	// end, of its end, and of [PhaseTold]. If the run ends before the subject does, it shows the
	// Unended of the beginning.
	Line    string `json:"line,omitempty"`
	Unended string `json:"unended,omitempty"`
	// State is the state of the subject after its end: "has expired". It is set if only a
	// message informs the owner of the end.
	State string `json:"state,omitempty"`
	// Text describes the note as a step of the run. The sentence begins with its actor:
	// "{owner}" or "{node}", or "{node}:" if the node is not its subject. Without it, no step
	// shows the note.
	Text string `json:"text,omitempty"`
}

// Place is where a note is drawn; empty if it is not drawn.
type Place string

// The places.
const (
	// PlaceLane is a row of a lane above those of the nodes. A subject there may move
	// from node to node; its name is unique in a run.
	PlaceLane Place = "lane"
	// PlaceInside is inside the bar of the subject of the same name in a lane.
	PlaceInside Place = "inside"
	// PlaceRecord is below the record that the subject waits for, in the lane of the node.
	PlaceRecord Place = "record"
	// PlaceStrip is a strip below the records of the node.
	PlaceStrip Place = "strip"
)

// Phase is the part of a lasting subject that a note marks; empty for a moment.
type Phase string

// The phases. A subject with a beginning and no end lasts to the end of the run.
const (
	PhaseBegins Phase = "begins"
	PhaseRenews Phase = "renews" // its end is later now
	PhaseMoves  Phase = "moves"  // its owner continues with it at the note's node
	PhaseEnds   Phase = "ends"
	// PhaseTold is when the node reports the end to the owner, on its connection. Its {at} is
	// when the report arrives, and {later} how long after the end.
	PhaseTold Phase = "told"
)

// Mark is a mark in a picture; empty for a dot.
type Mark string

// The marks.
const (
	MarkEye   Mark = "eye"  // hollow: something is awaited
	MarkBell  Mark = "bell" // a client is notified
	MarkCross Mark = "cross"
)

// Role is the role of a node.
type Role string

// The roles. If no note gives a node's role, its promotions and returns do.
const (
	RoleServing Role = "serving" // with the observation's Epoch
	RoleAlone   Role = "alone"   // it has lost its leader, and serves no requests
)

// Of returns a copy of the note about a subject.
func (n Note) Of(subject string) *Note {
	n.Subject = subject
	return &n
}

// String returns the note in a few words, for a log.
func (n *Note) String() string {
	text := n.Event
	for _, more := range []string{n.Subject, n.Detail} {
		if more != "" {
			text += " " + more
		}
	}
	return text
}

// Event returns the name of what happened: the observation's kind, or the event of its
// note.
func (o *Observation) Event() string {
	if o.Note != nil {
		return o.Note.Event
	}
	return string(o.Kind)
}
