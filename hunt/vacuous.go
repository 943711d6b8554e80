package hunt

import "fmt"

// Vacuous says what to do about a search in which a happening never occurred: more says how to search more. Where as many schedules
// as a search has by default do not show it, it is likely that the lock prevents it, and more of them are no remedy. The noun is
// "lock" or "program".
func Vacuous(noun string, schedules int, more string) string {
	prevents := "as one does that gives up before, or whose record outlives its holder"
	if noun == "program" {
		prevents = "as one does that never comes by the place, or not in the time that it has"
	}
	if schedules < DefaultSchedules {
		return fmt.Sprintf("%s; if that does not show it either, the %s itself may prevent it, %s", more, noun, prevents)
	}
	return fmt.Sprintf("the %s itself seems to prevent it, %s: then more schedules do not help, and the scenario says nothing about this %s", noun, prevents, noun)
}
