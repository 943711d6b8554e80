package checker

import "github.com/lockpick-dev/lockpick/model"

// A Property is a statement about histories, with all of its texts. The checker's own are [Properties]; [Options].Added
// has others. Lists, explanations and pictures take their texts from here.
type Property struct {
	// ID is the property's name, which never changes: words of lower-case letters,
	// joined by hyphens.
	ID string
	// Letter stands for the property's violation where there is little room, as in
	// tables. No other property has it. Legend says what it means, in a few words.
	Letter, Legend string
	// About is what the property requires of a lock, in one line without a full stop.
	About string
	// Description has the texts for explaining and drawing a counterexample. Traces carry it.
	Description model.Description
	// Doc is a paragraph in Markdown: details of the requirement, why locks violate it, and what helps. It may be empty.
	Doc string
	// MayBeLimit is set if a violation may be a limit of leases, by its cause. Otherwise
	// it is always a fault of the lock.
	MayBeLimit bool
	// Weak is set if sound locks may violate the property too. It is judged only by name.
	Weak bool
	// Promised is set if only some locks promise the property. It is judged for these locks, and by name.
	Promised bool
	// NeedsHolder is set if the property depends on the holder of the lock in the stores. The property is undecided if
	// [Options].Ownership cannot read their records.
	NeedsHolder bool
	// ImpliedBy are the ids of properties whose violation implies a violation of this
	// one in the same class, fault or limit. Its letter beside theirs then adds nothing.
	ImpliedBy []string
	// Verdict judges the history of j. Equal histories get equal verdicts. [Check] sets the id. A cause that [model.Causes]
	// does not list is shown as it is.
	Verdict func(j *Judge) model.Verdict
}

// Usual reports whether [Check] judges the property if no name is given: it is neither weak nor promised by some locks
// only.
func (p *Property) Usual() bool { return !p.Weak && !p.Promised }
