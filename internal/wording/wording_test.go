package wording

import (
	"math"
	"strings"
	"testing"
)

func TestJoin(t *testing.T) {
	for _, test := range []struct{ names, and, or string }{
		{"", "", ""},
		{"a", "a", "a"},
		{"a b", "a and b", "a or b"},
		{"a b c", "a, b and c", "a, b or c"},
	} {
		names := strings.Fields(test.names)
		if and, or := And(names), Or(names); and != test.and || or != test.or {
			t.Errorf("%q: %q and %q, want %q and %q", names, and, or, test.and, test.or)
		}
	}
}

func TestCount(t *testing.T) {
	for _, test := range []struct {
		n             int
		noun          string
		plain, groups string
	}{
		{0, "run", "0 runs", "0 runs"},
		{1, "run", "1 run", "1 run"},
		{1, "class", "1 class", "1 class"},
		{2, "class", "2 classes", "2 classes"},
		{999, "run", "999 runs", "999 runs"},
		{1000, "run", "1000 runs", "1,000 runs"},
		{1234567, "more run", "1234567 more runs", "1,234,567 more runs"},
		{-999, "run", "-999 runs", "-999 runs"},
		{-1000, "run", "-1000 runs", "-1,000 runs"},
	} {
		if plain, groups := Count(test.n, test.noun), GroupedCount(test.n, test.noun); plain != test.plain || groups != test.groups {
			t.Errorf("%d of %q: %q and %q, want %q and %q", test.n, test.noun, plain, groups, test.plain, test.groups)
		}
	}
	if got, want := Grouped(int64(math.MinInt64)), "-9,223,372,036,854,775,808"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWrap(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"one":                    "one",
		"one two three":          "one two|three",
		"öne twö three":          "öne twö|three",
		"a-very-long-one":        "a-very-long-one",
		"x  y a-very-long-one z": "x y|a-very-long-one|z",
	} {
		if got := strings.Join(Wrap(text, 8), "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestIndent(t *testing.T) {
	if got, want := Indent("a\n\n b\n\n"), "    a\n    \n     b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestClip(t *testing.T) {
	for text, want := range map[string]string{"": "", "äöü": "äöü", "äöüß": "äöü…"} {
		if got := Clip(text, 3); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestFit(t *testing.T) {
	for text, want := range map[string]string{"": "", "äöüß": "äöüß", "äöüßx": "äöü…", "ab cde": "ab…", "ab… cd": "ab…"} {
		if got := Fit(text, 4); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	for text, want := range map[string]string{"": "", "123456789012": "123456789012", "1234567890123": "123456…", "a\x1b[31mred!": `a\x1b[…`} {
		if got := Shorten(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestCapital(t *testing.T) {
	for text, want := range map[string]string{"": "", "the run": "The run", "Redis": "Redis", "über": "Über", "1 of 2": "1 of 2"} {
		if got := Capital(text); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
