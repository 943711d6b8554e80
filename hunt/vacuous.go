package hunt

import "fmt"

// Vacuous returns advice on a search in which a happening never occurred. More is the advice on how to search more. After
// as many schedules as a search has by default the lock probably prevents the happening, and more schedules do not help.
// The noun is "lock" or "program".
func Vacuous(noun string, schedules int, more string) string {
	prevents := "as one does that gives up before, whose record outlives its holder, or that never reads its clock"
	if noun == "program" {
		prevents = "as one does that never gets to this place, or not in time"
	}
	if schedules < DefaultSchedules {
		return fmt.Sprintf("%s; if that does not show it either, the %s itself may prevent it, %s", more, noun, prevents)
	}
	return fmt.Sprintf("the %s itself seems to prevent it, %s: then more schedules do not help, and the scenario says nothing about this %s", noun, prevents, noun)
}
