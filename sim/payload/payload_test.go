package payload

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestOf(t *testing.T) {
	Register("test", func(segment []byte) Message { return Message{Text: "READ " + string(segment), List: true} })
	for _, test := range []struct {
		server, segment string
		want            Message
	}{
		{"test", "x", Message{"READ x", true}},
		{"nobody's", "", Message{}},
		{"nobody's", " take lock\r\n", Message{Text: "take lock"}},
		{"nobody's", "\x00\xff", Message{Text: `\x00\xff`}},
	} {
		if got := Of(test.server, []byte(test.segment)); got != test.want {
			t.Errorf("%q of %s: %+v, want %+v", test.segment, test.server, got, test.want)
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
	Register("test", func([]byte) Message { return Message{} })
}
