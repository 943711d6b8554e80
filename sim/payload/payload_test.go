package payload

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/sim"
)

func TestOf(t *testing.T) {
	reads := 0
	Register("test", func() Reader {
		before := ""
		return func(segment *sim.Event) Message {
			reads++
			text := "READ " + string(segment.Payload) + before
			before += " after " + string(segment.Payload)
			return Message{Text: text, List: true}
		}
	})
	for _, test := range []struct {
		server, segment string
		want            Message
	}{
		{"test", "x", Message{Text: "READ x", List: true}},
		{"nobody's", "", Message{}},
		{"nobody's", " take lock\r\n", Message{Text: "take lock"}},
		{"nobody's", "\x00\xff", Message{Text: `\x00\xff`}},
	} {
		if got := Of(test.server, nil, &sim.Event{Payload: []byte(test.segment)}); got != test.want {
			t.Errorf("%q of %s: %+v, want %+v", test.segment, test.server, got, test.want)
		}
	}
	events := []sim.Event{
		{Seq: 1, Conn: 1, Payload: []byte("a")}, {Seq: 2, Conn: 2, Payload: []byte("b")}, {Seq: 3, Conn: 1},
		{Seq: 4, Conn: 1, Payload: []byte("c")}, {Seq: 5, Conn: 1, Payload: []byte("d")},
	}
	segments := NewSegments(events)
	reads = 0
	for _, e := range slices.Backward(events) {
		segments.Of("test", &e)
		segments.Of("test", &e)
	}
	if reads != 4+2 { // the empty one is read each time
		t.Errorf("%d segments are read", reads)
	}
	for _, test := range []struct {
		at   int
		want string
	}{{3, "READ c after a"}, {0, "READ a"}, {1, "READ b"}, {2, "READ "}, {4, "READ d after a after c"}, {3, "READ c after a"}} {
		if got := segments.Of("test", &events[test.at]).Text; got != test.want {
			t.Errorf("%d is %q, want %q", test.at, got, test.want)
		}
		if got := Of("test", events, &events[test.at]).Text; got != test.want {
			t.Errorf("%d alone is %q, want %q", test.at, got, test.want)
		}
	}
	if text := Plain([]byte(strings.Repeat("\x00", 1000))); utf8.RuneCountInString(text) != Most {
		t.Errorf("%d characters, want %d", utf8.RuneCountInString(text), Most)
	}
	defer func() {
		if recover() == nil {
			t.Error("a kind was registered twice")
		}
	}()
	Register("test", Each(func([]byte) Message { return Message{} }))
}
