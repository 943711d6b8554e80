package recipe

import (
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	for name, want := range map[string]node{
		"lock-0000000007":            {prefix: "lock-", sequence: 7},
		"_c_0a-b-lock-2147483647":    {prefix: "_c_0a-b-lock-", sequence: 1<<31 - 1},
		"_c_0a-b-lock--2147483648":   {prefix: "_c_0a-b-lock-", sequence: -1 << 31},
		"_c_0a-read--0000000001":     {prefix: "_c_0a-read-", sequence: -1},
		"0000000003":                 {sequence: 3},
		"_c_ff-permits-3-0000000012": {prefix: "_c_ff-permits-3-", sequence: 12},
	} {
		want.name = name
		if n, ok := parse(name); !ok || n != want {
			t.Errorf("parse(%q) is %+v, %v; want %+v", name, n, ok, want)
		}
	}
	for _, name := range []string{"", "lock", "config", "lock-2147483648", "lock-+000000001", "lock-00000000x1"} {
		if n, ok := parse(name); ok {
			t.Errorf("parse(%q) is %+v, and it has no sequence", name, n)
		}
	}
}

// TestBefore: nodes are in the order of their creation, also where sequences wrap around.
func TestBefore(t *testing.T) {
	names := []string{
		"_c_00-lock--2147483647", "lock-2147483646", "other", "_c_ff-lock-2147483647", "_c_11-lock--2147483648",
	}
	own, _ := parse("_c_00-lock--2147483647")
	var got []string
	for _, n := range own.before(names) {
		got = append(got, n.name)
	}
	want := []string{"lock-2147483646", "_c_ff-lock-2147483647", "_c_11-lock--2147483648"}
	if !slices.Equal(got, want) {
		t.Errorf("before %s are %q, want %q", own.name, got, want)
	}
}

// TestRules: what each rule waits for.
func TestRules(t *testing.T) {
	for _, test := range []struct {
		rule    string
		is      Rule
		before  []string
		own     string
		blocker string // empty: it holds
	}{
		{"predecessor", Predecessor, nil, "lock-0000000000", ""},
		{"predecessor", Predecessor, []string{"lock-0000000001", "lock-0000000002"}, "lock-0000000003", "lock-0000000002"},
		{"first", First, nil, "lock-0000000000", ""},
		{"first", First, []string{"lock-0000000001", "lock-0000000002"}, "lock-0000000003", "lock-0000000001"},
		{"lastWriter", LastWriter, []string{"read-0000000001", "_c_0-read-0000000002"}, "read-0000000003", ""},
		{"lastWriter", LastWriter, []string{"write-0000000001", "write-0000000002", "read-0000000003"}, "read-0000000004", "write-0000000002"},
		{"3 permits", Permits(3), []string{"permits-1-0000000001"}, "permits-2-0000000002", ""},
		{"3 permits", Permits(3), []string{"permits-2-0000000001"}, "permits-2-0000000002", "permits-2-0000000001"},
		{"3 permits", Permits(3), []string{"permits-1-0000000001", "permits-3-0000000002"}, "permits-1-0000000003", "permits-1-0000000001"},
	} {
		own, _ := parse(test.own)
		blocker, blocked := test.is.blocker(own.before(test.before), own)
		if blocker.name != test.blocker || blocked != (test.blocker != "") {
			t.Errorf("%s: %s after %q waits for %q (%v), want %q", test.rule, test.own, test.before, blocker.name, blocked, test.blocker)
		}
	}
}
