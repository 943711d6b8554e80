package scenarios

// RemedyNote is what is said beside a remedy that helps by construction.
func RemedyNote(r Remedied) string { return r.note() }
