package simfile

import (
	"reflect"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/payload"
)

// TestLines: what is sent is read as it was.
func TestLines(t *testing.T) {
	odd := "a \"b\"\n\x00\xff ü"
	for _, r := range []Request{
		{Op: Open, Args: []string{"c1"}},
		{Session: 7, Number: 1, Op: Renew},
		{Session: 7, Number: 2, Op: Create, Args: []string{"lock", "7.2", odd}},
		{Session: 7, Number: 3, Op: Write, Args: []string{"", ""}},
	} {
		line := string(r.Line())
		got, err := ParseRequest(strings.TrimSuffix(line, "\n"))
		if err != nil || !reflect.DeepEqual(got, r) || strings.Count(line, "\n") != 1 {
			t.Errorf("%q is read as %+v, %v", line, got, err)
		}
	}
	for _, a := range []Answer{{Number: 1, Boot: 2, Status: Exist}, {Number: 3, Boot: 1, Status: OK, Values: []string{odd, "2"}}} {
		line := string(a.Line())
		if got, err := ParseAnswer(strings.TrimSuffix(line, "\n")); err != nil || !reflect.DeepEqual(got, a) {
			t.Errorf("%q is read as %+v, %v", line, got, err)
		}
	}
}

// TestNoLines: what is no request is refused.
func TestNoLines(t *testing.T) {
	for _, text := range []string{"", "1", "1 2", "1 x RENEW", "x 2 RENEW", "1 2 renew", `1 2 RENEW "x"`, `1 2 READ`, `1 2 READ lock`, `1 2 READ "lock`, `1 2 READ "a" "b"`} {
		if r, err := ParseRequest(text); err == nil {
			t.Errorf("%q is read as %+v", text, r)
		}
	}
}

// TestPayload: segments are shown in words.
func TestPayload(t *testing.T) {
	for _, c := range []struct {
		segment, text string
		aside         bool
	}{
		{`1 2 CREATE "lock" "1.2" "me"` + "\n", "CREATE lock me", false},
		{`0 0 OPEN "c1"` + "\n", "OPEN c1", true},
		{"1 2 RENEW\n", "RENEW", true},
		{"1 2 RENEW\n1 3 READ \"lock\"\n", "RENEW; READ lock", false},
		{"2 1 EXIST\n", "EXIST", false},
		{`2 1 OK "a\nb"` + "\n", `OK a\nb`, false},
		{"GET / HTTP/1.1\n", "GET / HTTP/1.1", false},
		{"2 1 FINE\n", "2 1 FINE", false},
		{"\xff\x00", `\xff\x00`, false},
	} {
		m := payload.Of("file", nil, &sim.Event{Payload: []byte(c.segment)})
		if m.Text != c.text || m.Aside != c.aside {
			t.Errorf("%q is shown as %+v, want %q, aside %v", c.segment, m, c.text, c.aside)
		}
	}
}

// FuzzPayload: any bytes are shown, and not too many of them.
func FuzzPayload(f *testing.F) {
	f.Add([]byte(`1 2 CREATE "lock" "1.2" "me"` + "\n1 2 \"\n"))
	f.Fuzz(func(t *testing.T, segment []byte) {
		if m := readPayload(segment); len([]rune(m.Text)) > payload.Most || wording.Printable(m.Text) != m.Text {
			t.Errorf("%q", m.Text)
		}
	})
}
