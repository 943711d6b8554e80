package cell

import "testing"

// TestTimeIn: a number or a date that is later by an hour is package time, and one that is later by
// anything else is not, nor is a part of a token in nanoseconds.
func TestTimeIn(t *testing.T) {
	for _, test := range []struct{ now, ahead, want string }{
		{"SET lock x PX 2000", "SET lock x PX 2000", ""},
		{"PXAT 946684802000", "PXAT 946688402000", "946684802000"},
		{"EXAT 946684802", "EXAT 946688402", "946684802"},
		{"EXAT 946684802", "EXAT 946688403", ""},
		{`{"end":946684802000000}`, `{"end":946688402000000}`, "946684802000000"},
		{"946684802000000001", "946688402000000001", "946684802000000001"},
		{"c1-946684802000000001", "c1-946688402000000001", ""},
		{"a 0", "a 3600", ""},
		{"now '2000-01-01 00:00:02'", "now '2000-01-01 01:00:02'", "2000-01-01 00:00:02"},
	} {
		if got := timeIn(test.now, test.ahead); got != test.want {
			t.Errorf("%q and %q: %q, want %q", test.now, test.ahead, got, test.want)
		}
	}
}
