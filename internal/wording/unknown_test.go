package wording

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	if got := Nearest("rn", []string{"list", "run"}); got != "run" {
		t.Errorf("rn: got %q", got)
	}
	known := []string{"contention", "gc-pause", "lost-reply", "late-reply", "setpx", "setpx-wait", "pull"}
	for name, want := range map[string]string{
		"gc-paus": "gc-pause", "gcpause": "gc-pause", "gc-puase": "gc-pause", "contnetion": "contention",
		"lst-reply": "lost-reply", "setp": "setpx", "cont": "contention", "pul": "pull",
		"redlock": "", "": "", "x": "", "pxset": "", "pl": "", "pu": "",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"ab", "ba", 1}, {"abc", "abd", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("%q and %q: got %d, want %d", test.a, test.b, got, test.want)
		}
	}
	word := rapid.StringMatching(`[a-c]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if d := distance(a, b); d != distance(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) {
			t.Errorf("the distance of %q and %q is %d", a, b, d)
		}
	})
}

func TestUnknown(t *testing.T) {
	if got, want := Unknown("lock", "setp", []string{"setpx", "pull"}), `there is no lock "setp"; did you mean setpx? There are setpx, pull`; got != want {
		t.Errorf("got %s", got)
	}
	if got, want := Unknown("lock", "zzz", []string{"setpx", "pull"}), `there is no lock "zzz"; there are setpx, pull`; got != want {
		t.Errorf("got %s", got)
	}
}
