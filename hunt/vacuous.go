package hunt

// Vacuous says what to do about a search in which a happening never occurred: more says how to search more. Where as many schedules
// as a search has by default do not show it, it is likely that the lock prevents it, and more of them are no remedy.
func Vacuous(schedules int, more string) string {
	const prevents = "as one does that gives up before, or whose record outlives its holder"
	if schedules < DefaultSchedules {
		return more + "; if that does not show it either, the lock itself may prevent it, " + prevents
	}
	return "the lock itself seems to prevent it, " + prevents + ": then more schedules do not help, and the scenario says nothing about this lock"
}
