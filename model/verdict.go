package model

// Status is the status of a property in one history.
type Status string

// The statuses.
const (
	Holds         Status = "holds"
	Violated      Status = "violated"
	Undecided     Status = "unknown" // could not be decided: a limit was hit
	NotApplicable Status = "not applicable"
)

// Verdict is the judgement of one property in one history.
type Verdict struct {
	// Property is the property's id, such as "mutual-exclusion".
	Property string `json:"property"`
	Status   Status `json:"status"`
	// Sentence states what decided the verdict. It is empty if the property holds.
	Sentence string `json:"sentence,omitempty"`
	// Operations are the IDs of the operations that decide the verdict, and
	// Observations the event numbers of the observations that do, both ascending.
	Operations   []int   `json:"operations,omitempty"`
	Observations []int64 `json:"observations,omitempty"`
	// From and To are the window in which the property is violated: for mutual
	// exclusion, while both clients believe that they hold the lock.
	From Stamp `json:"from,omitzero"`
	To   Stamp `json:"to,omitzero"`

	// Limit is set on a violation that no lease could have prevented, as the history
	// itself shows: either the store had granted the lock for as long as the client
	// claims it, and then lost it; or the lease ended as granted while the client was
	// stopped, cut off or late. Every other violation is a fault of the lock. Cause is
	// the id of the reason; see [Causes].
	Limit bool   `json:"limit,omitempty"`
	Cause string `json:"cause,omitempty"`
}
