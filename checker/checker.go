package checker

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// Options are what judging needs to know beside the history.
type Options struct {
	// ProgressBound is how long, once the world has healed, a client may
	// still wait for the lock. Whoever chooses it has added what may lawfully
	// pass before: the TTL of a dead holder, the queue ahead. Zero means that
	// no progress is asked for: the property is not applicable.
	ProgressBound time.Duration
	// PorcupineTimeout limits the search for a linearization, in wall-clock
	// time; zero means 5 s. When it runs out the verdict is Undecided, never
	// Holds.
	PorcupineTimeout time.Duration
}

// defaultPorcupineTimeout is what a zero Options.PorcupineTimeout means.
const defaultPorcupineTimeout = 5 * time.Second

// The ids of the properties.
const (
	MutualExclusion  = "mutual-exclusion"
	Linearizable     = "linearizable"
	OwnerOnlyRelease = "owner-only-release"
	Fencing          = "fencing"
	NoLostUpdate     = "no-lost-update"
	Progress         = "progress"
)

// property is one entry of the table that everything public is read from.
type property struct {
	id       string
	describe string
	judge    func(*judge) model.Verdict
}

var properties = [...]property{
	{MutualExclusion, "no two clients claim the lock at once", (*judge).mutualExclusion},
	{Linearizable, "some order of the operations is one that a correct mutex could have gone through", (*judge).linearizable},
	{OwnerOnlyRelease, "nobody removes a live lock of another acquisition from the store", (*judge).ownerOnlyRelease},
	{Fencing, "fencing tokens grow in the order in which the lock was granted", (*judge).fencing},
	{NoLostUpdate, "every accepted write follows from the value that its client had read", (*judge).noLostUpdate},
	{Progress, "once the world has healed, whoever waits for the lock gets it within the bound", (*judge).progress},
}

// IDs returns the ids of all properties, in the order in which [Check] judges
// them.
func IDs() []string {
	ids := make([]string, len(properties))
	for i := range properties {
		ids[i] = properties[i].id
	}
	return ids
}

// Known reports whether there is a property with this id.
func Known(id string) bool { return Describe(id) != "" }

// Describe says in one line what the property asks of a lock. It is empty if
// there is no such property.
func Describe(id string) string {
	for i := range properties {
		if properties[i].id == id {
			return properties[i].describe
		}
	}
	return ""
}

// Check judges the named properties, or all of them if none is named, and
// returns one verdict for each, in the order of [IDs]. A name that is not
// [Known] gets an Undecided verdict at the end, so that a typing mistake
// cannot pass for a property that holds.
//
// The history is not changed. Equal histories get equal verdicts, but that the
// wall-clock limit on the search for a linearization may turn one into
// Undecided.
func Check(h *model.History, o Options, names ...string) []model.Verdict {
	if o.PorcupineTimeout == 0 {
		o.PorcupineTimeout = defaultPorcupineTimeout
	}
	j := newJudge(h, o)
	verdicts := make([]model.Verdict, 0, max(len(names), len(properties)))
	for i := range properties {
		p := &properties[i]
		if len(names) == 0 || slices.Contains(names, p.id) {
			v := p.judge(&j)
			v.Property = p.id
			verdicts = append(verdicts, v)
		}
	}
	for i, name := range names {
		if !Known(name) && !slices.Contains(names[:i], name) {
			verdicts = append(verdicts, model.Verdict{
				Property: name,
				Status:   model.Undecided,
				Sentence: "There is no property of this name.",
			})
		}
	}
	return verdicts
}
