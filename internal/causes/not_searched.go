package causes

import (
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// Flaws that no schedule of a search can show are findings of their own kind, reported with the verdict as not searched.
// Each is "what: why", as in cell.NotSearched.

// NotSearched returns the line that reports one.
func NotSearched(one string) string { return "not searched: " + one }

// Unsearched names all of them, to follow a verdict; empty if there are none.
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
