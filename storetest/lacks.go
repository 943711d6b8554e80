package storetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios"
)

// Lacks fails the test if a scenario of Lockpick does not apply to a lock for another reason than the given ones, or if
// one of the reasons keeps no scenario from applying.
func Lacks(t *testing.T, l cell.Lock, reasons ...string) {
	t.Helper()
	wrong, err := wrongReasons(l, reasons)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range wrong {
		t.Error(text)
	}
}

// wrongReasons returns a sentence for each reason that is missing and for each that no scenario gives.
func wrongReasons(l cell.Lock, reasons []string) (wrong []string, err error) {
	var given []string
	for _, s := range scenarios.All() {
		c, err := scenarios.Registry([]cell.Lock{l}).Cell(s.ID, l.ID, nil)
		if err != nil {
			return nil, err
		}
		lacks := c.Lacks()
		if given = append(given, lacks); lacks != "" && !slices.Contains(reasons, lacks) {
			wrong = append(wrong, fmt.Sprintf("%s does not apply to %s: %s", s.ID, l.ID, lacks))
		}
	}
	for _, r := range reasons {
		if !slices.Contains(given, r) {
			wrong = append(wrong, fmt.Sprintf("no scenario does not apply to %s because %s", l.ID, r))
		}
	}
	return wrong, nil
}
