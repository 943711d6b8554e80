package simrun

import (
	"strings"
	"testing"
)

func TestBar(t *testing.T) {
	for _, test := range []struct {
		done, total int
		filled      int
	}{{0, 4, 0}, {1, 4, 7}, {4, 4, 30}, {0, 0, 0}} {
		if got := bar(test.done, test.total); strings.Count(got, "█") != test.filled || len([]rune(got)) != 30 {
			t.Errorf("%d of %d: %s", test.done, test.total, got)
		}
	}
}
