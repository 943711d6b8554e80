package real

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

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
		n.Hold(apart)
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
	time.AfterFunc(soon/4, func() { n.Hold(nil) })
	if got := ask("1", late); got != "got x" {
		t.Errorf("what was held comes as %q when it is let go", got)
	}
	hold("b>a")
	time.AfterFunc(soon/4, func() { (&servers{network: n}).Lose("b") })
	if got := ask("1", late); got != "nothing" {
		t.Errorf("what was lost comes as %q", got)
	}
}
