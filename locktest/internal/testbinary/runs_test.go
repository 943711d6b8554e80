package testbinary

import (
	"testing"
)

func TestSelected(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "TestA", true},
		{"TestA", "TestA", true},
		{"^TestA$", "TestAB", false},
		{"TestB", "TestA", false},
		{"TestB|TestA", "TestA", true},
		{"^TestB$|^TestC$", "TestA", false},
		{"TestA/one", "TestA/two", false},
		{"TestA/one", "TestA", true},
		{"TestA/one|two", "TestA/two", false}, // Go splits at bars first: TestA/one, or two
		{"TestA/(one|two)", "TestA/two", true},
		{"Test[A/]", "TestA/x", true},
		{`TestA\|`, "TestA", false},
		{"TestA/(", "TestA/x", true}, // go test refuses it
	} {
		if got := selected(test.pattern, test.name); got != test.want {
			t.Errorf("-run %q selects %s: %t, want %t", test.pattern, test.name, got, test.want)
		}
	}
}

func TestSkipped(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "TestA/x", false},
		{"TestA/x", "TestA/x", true},
		{"TestA", "TestA/x", true},
		{"TestA/x/y", "TestA/x", false}, // a subtest of it
		{"TestA/y", "TestA/x", false},
		{"TestB|TestA/x", "TestA/x", true},
		{"TestA/x/y|TestA/x", "TestA/x", false}, // the first that matches decides
	} {
		if got := skipped(test.pattern, test.name); got != test.want {
			t.Errorf("-skip %q leaves %s out: %t, want %t", test.pattern, test.name, got, test.want)
		}
	}
}
