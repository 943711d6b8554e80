package payload

import (
	"iter"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/sim"
)

func TestOf(t *testing.T) {
	Register("test", func(segment *sim.Event, before iter.Seq[*sim.Event]) Message {
		text := "READ " + string(segment.Payload)
		for e := range before {
			text += " after " + string(e.Payload)
		}
		return Message{Text: text, List: true}
	})
	for _, test := range []struct {
		server, segment string
		want            Message
	}{
		{"test", "x", Message{"READ x", true}},
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
	if got := Of("test", events, &events[3]); got.Text != "READ c after a" {
		t.Errorf("what came before is %q", got.Text)
	}
	if text := Plain([]byte(strings.Repeat("\x00", 1000))); utf8.RuneCountInString(text) != Most {
		t.Errorf("%d characters, want %d", utf8.RuneCountInString(text), Most)
	}
	defer func() {
		if recover() == nil {
			t.Error("a kind was registered twice")
		}
	}()
	Register("test", func(*sim.Event, iter.Seq[*sim.Event]) Message { return Message{} })
}
