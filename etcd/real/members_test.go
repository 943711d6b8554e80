package real

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCanLead: a member can lead that runs, and that hears a majority and is heard by it.
func TestCanLead(t *testing.T) {
	members := []string{"a", "b", "c"}
	for _, test := range []struct {
		name string
		out  string // members that do not run
		held string // what goes from one to another, as "a>b"
		want string // who can lead
	}{
		{"all run", "", "", "a b c"},
		{"one is out", "a", "", "b c"},
		{"two are out", "a b", "", ""},
		{"one is cut off", "", "a>b b>a a>c c>a", "b c"},
		{"one is not heard", "", "a>b a>c", "b c"},
		{"one does not hear", "", "b>a c>a", "b c"},
		{"one is cut off from one that is out", "c", "a>c", "a b"},
		{"one is cut off, and another is out", "c", "a>b", ""},
		{"two do not hear each other", "", "a>b", "a b c"},
	} {
		s := state{apart: func(from, to string) bool { return slices.Contains(strings.Fields(test.held), from+">"+to) }}
		for _, m := range strings.Fields(test.out) {
			s = s.with(m, true)
		}
		var can []string
		for _, m := range members {
			if s.canLead(members, m) {
				can = append(can, m)
			}
		}
		if got := strings.Join(can, " "); got != test.want {
			t.Errorf("%s: %q can lead, want %q", test.name, got, test.want)
		}
	}
	back := state{}.with("a", true).with("a", false)
	if !back.canLead(members, "a") {
		t.Error("a member that is back cannot lead")
	}
}

// TestProxy: what a member posts to another, and what another reads from it, is held by who sends and who gets it, passes once it
// is not held, and is lost while its sender loses.
func TestProxy(t *testing.T) {
	member := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		_, _ = w.Write(append([]byte("got "), text...))
	}))
	defer member.Close()
	n := &network{}
	p, err := n.proxy("b", strings.TrimPrefix(member.URL, "http://"), func(id string) string { return map[string]string{"1": "a", "2": "b"}[id] })
	if err != nil {
		t.Fatal(err)
	}
	defer p.server.Close()
	ask := func(from string, long time.Duration) string {
		r, err := http.NewRequest(http.MethodPost, "http://"+p.addr+"/raft", strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Server-From", from)
		answer, err := (&http.Client{Timeout: long}).Do(r)
		if err != nil {
			return "nothing"
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			return "nothing"
		}
		return string(text)
	}
	hold := func(held string) {
		apart := func(from, to string) bool { return from+">"+to == held }
		n.apart.Store(&apart)
	}
	const soon, late = 200 * time.Millisecond, 10 * time.Second
	for _, test := range []struct {
		held, from string
		long       time.Duration
		want       string
	}{
		{"", "1", late, "got x"},
		{"a>b", "1", soon, "nothing"},
		{"b>a", "1", soon, "nothing"},
		{"a>c", "1", late, "got x"},
		{"a>b", "", late, "got x"}, // nobody that is known
	} {
		hold(test.held)
		if got := ask(test.from, test.long); got != test.want {
			t.Errorf("%q is held, and %q gets %q, want %q", test.held, test.from, got, test.want)
		}
	}
	hold("a>b")
	time.AfterFunc(soon/4, func() { n.apart.Store(nil) })
	if got := ask("1", late); got != "got x" {
		t.Errorf("what was held comes as %q when it is let go", got)
	}
	hold("b>a")
	time.AfterFunc(soon/4, func() { (&servers{network: n}).Lose("b") })
	if got := ask("1", late); got != "nothing" {
		t.Errorf("what was lost comes as %q", got)
	}
}
