package causes

import (
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// What no schedule of a search can show is a finding of its own kind: it is reported with the
// verdict, as what was not searched. Each is "what: why", as cell.NotSearched has it.

// NotSearched returns a line that reports one.
func NotSearched(one string) string { return "not searched: " + one }

// Unsearched names them all, to stand behind a verdict; empty if there are none.
func Unsearched(list []string) string {
	var names []string
	for _, one := range list {
		what, _, _ := strings.Cut(one, ": ")
		names = append(names, what)
	}
	if len(names) == 0 {
		return ""
	}
	return NotSearched(wording.And(unique(names)))
}
