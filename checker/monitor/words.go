package monitor

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// ids returns the IDs of calls, ascending and without duplicates.
func ids(calls []*model.Call) []int {
	var list []int
	for _, c := range calls {
		if c != nil {
			list = append(list, c.ID)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// holder returns the name of the caller, and the ID of the call.
func holder(c *model.Call) string { return fmt.Sprintf("%s (#%d)", c.Holder(), c.ID) }

// interval returns a phrase for when a call was under way.
func interval(c *model.Call) string {
	if c.Pending() {
		return fmt.Sprintf("from event %d on", c.Call)
	}
	return fmt.Sprintf("events %d to %d", c.Call, c.Return)
}

// Sentences that several rules share.
const (
	shortest = "(Read as short as a hold can be: from the return of its acquire to the call of its release.)"
	longest  = "(Read as long as a hold can be: from the call of its acquire to the return of its release.)"

	overlapping = "Two calls of one owner were under way at the same time, so that it is not known which hold was meant. " +
		"One owner for each thread would settle it."
	twice = "Two calls that end or extend one hold were under way at the same time, so that it is not known which came first. " +
		"One after the other would settle it."
	doomed = "An owner went on although an acquire of its has no known outcome and may have entered a hold that it could end by itself. " +
		"The answer of that acquire would settle it."
	whose   = "A release succeeded, and it is not known which of several acquires of unknown outcome it ended. Their answers would settle it."
	crowded = "A try failed while it is not certain that too few permits were free: which calls under way had taken effect is not judged. " +
		"The instants at which they did would settle it."
	foretold  = "A hold was released or extended before its acquire was called. Calls in their order would settle it."
	meanwhile = "A hold was released or extended while its acquire was under way, so that it is not known which came first. " +
		"The return of the acquire before that call would settle it."
	earlier = "An acquire returned when its hold might have ended already, and another hold was there, or may have been. " +
		"The instant at which it took effect would settle it."
	tied = "Two acquires returned at the same event, so that either may have been first. Numbers of their own would settle it."
)
