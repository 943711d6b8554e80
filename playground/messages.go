package playground

// The messages of a session. Each has its type as its first field.

// Progress is the progress of a search.
type Progress struct {
	Type      string `json:"type"` // "progress"
	Schedules int    `json:"schedules"`
	Of        int    `json:"of"`
	Events    int64  `json:"events"`
	Classes   int    `json:"classes"`
}

// Found is a finding: the first violation of a property as a fault, or as a limit.
type Found struct {
	Type     string `json:"type"` // "found"
	Number   int    `json:"number"`
	Property string `json:"property"`
	Limit    bool   `json:"limit"`
	Schedule int    `json:"schedule"`
	Hash     string `json:"hash"`
	Sentence string `json:"sentence"`
	// Notes are remarks, such as that the finding may not recur.
	Notes []string `json:"notes,omitempty"`
}

// Shown is a finding with its trace.
type Shown struct {
	Type   string `json:"type"` // "shown"
	Found  Found  `json:"found"`
	Shrunk bool   `json:"shrunk"`
	// Trace is the trace as a file, and Command is the command that makes the search on a machine: package drawing makes
	// pictures of both.
	Trace   string `json:"trace"`
	Command string `json:"command"`
}

// Shrinking is the progress of shrinking a finding or, with Needs, of determining its needs.
type Shrinking struct {
	Type       string `json:"type"` // "shrinking"
	Needs      bool   `json:"needs,omitempty"`
	Runs       int    `json:"runs"`
	AtMost     int    `json:"atMost"`
	Before     int    `json:"before,omitempty"`
	Deviations int    `json:"deviations,omitempty"`
}

// Verdict counts the schedules in which a property was violated, as a fault and as a limit of leases, or was undecided.
type Verdict struct {
	Property  string `json:"property"`
	Faults    int    `json:"faults"`
	Limits    int    `json:"limits"`
	Undecided int    `json:"undecided"`
}

// End is the result of a search.
type End struct {
	Type string `json:"type"` // "end"
	// Word is the result in one word: see package explore.
	Word        string `json:"word"`
	Interrupted bool   `json:"interrupted"`
	Schedules   int    `json:"schedules"`
	Events      int64  `json:"events"`
	Classes     int    `json:"classes"`
	// Hash is the same wherever the same search is made.
	Hash     string    `json:"hash"`
	Verdicts []Verdict `json:"verdicts"`
	// Missing are the happenings that must occur in a search and did not.
	Missing  []string `json:"missing,omitempty"`
	Troubles []string `json:"troubles,omitempty"`
	// Command is the command that makes the same search on a machine.
	Command string `json:"command"`
	// Spent is set if the session can make no more runs.
	Spent bool `json:"spent,omitempty"`
}

// Compared is the number of hashes of a known search that differ here.
type Compared struct {
	Type     string `json:"type"` // "compared"
	Scenario string `json:"scenario"`
	Lock     string `json:"lock"`
	Runs     int    `json:"runs"`
	Differ   int    `json:"differ"`
	Last     bool   `json:"last"`
}

// Failed is the reason why a request was not carried out.
type Failed struct {
	Type   string `json:"type"` // "failed"
	Reason string `json:"reason"`
	Spent  bool   `json:"spent,omitempty"`
}
