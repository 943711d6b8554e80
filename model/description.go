package model

// Description describes a property and its violation for texts and pictures. Its texts
// may have the placeholders of [Terms.Fill].
type Description struct {
	// Rule is the text of a program's rule, in its author's words; empty for a property of locks.
	Rule string `json:"rule,omitempty"`
	// Asks is what the property asks of every run, as a sentence.
	Asks string `json:"asks,omitempty"`
	// Window describes the violation in a few words: "an update is lost".
	Window string `json:"window,omitempty"`
	// Pair describes the violation by two clients, after their names: "both believe
	// that they hold it". If it is empty, Window is used.
	Pair string `json:"pair,omitempty"`
	// Moment describes the first violating step, after the name of its client. If it is
	// empty, "from here on" and Window are used.
	Moment string `json:"moment,omitempty"`
	// Breaks is the violating moment of the verdict's window.
	Breaks Breaks `json:"breaks,omitempty"`
	// Harm selects the violating step among the harmful steps in the window, for a
	// property about harm.
	Harm Harm `json:"harm,omitempty"`
	// Subject is the part of a run that the property is about, if pictures draw it.
	Subject Subject `json:"subject,omitempty"`
	// Consequence orders violations of one run that have one cause. It is 0 for a
	// property that shows the cause itself, and greater for consequences of it: two
	// holders, then the answers that they get, then the [Damage] that they do.
	Consequence int `json:"consequence,omitempty"`
}

// Damage is the [Description].Consequence of a property whose violation did harm, and
// not only risked it.
const Damage = 3

// Breaks is the moment of a verdict's window at which the property is violated.
type Breaks string

// The moments of a window.
const (
	AtStart Breaks = ""      // the beginning; the default
	AtEnd   Breaks = "end"   // the end, as of a window from a call to a false answer
	AtClaim Breaks = "claim" // the end if a claim begins there, or else the beginning
)

// Harm selects one of the harmful steps in a window.
type Harm string

// The choices among harmful steps.
const (
	NoHarm    Harm = "" // none: the property is not about harm
	FirstHarm Harm = "first"
	LastHarm  Harm = "last"
)

// Subject is the part of a run that a property is about.
type Subject string

// The subjects that pictures draw.
const (
	// Overlap is for a property of overlapping claims. Beside a fault, pictures mark
	// earlier overlaps that were limits.
	Overlap Subject = "overlap"
	// LateAccess is for a property of accesses that the resource accepts after the end
	// of a lease. Such an access is then a harmful step.
	LateAccess Subject = "late-access"
)
