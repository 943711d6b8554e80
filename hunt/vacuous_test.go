package hunt

import (
	"strings"
	"testing"
)

// TestVacuous: few schedules may be too few; where many show nothing, more are no remedy.
func TestVacuous(t *testing.T) {
	for schedules, begin := range map[int]string{1: "run more; if that does not show it either, the lock itself may prevent it, ", DefaultSchedules - 1: "run more; ", DefaultSchedules: "the lock itself seems to prevent it, "} {
		if got := Vacuous("lock", schedules, "run more"); !strings.HasPrefix(got, begin) || strings.Contains(got, "run more") != (schedules < DefaultSchedules) {
			t.Errorf("%d: %s", schedules, got)
		}
	}
}
