package wording

import (
	"fmt"
	"strings"
	"testing"
)

// TestTerminal: what is written is the same however the text is cut, and a terminal does no more than show it.
func TestTerminal(t *testing.T) {
	for _, test := range []struct {
		colour     bool
		text, want string
	}{
		{true, "a\tb ☃\n\x1b[1;31mred\x1b[0m\n", "a\tb ☃\n\x1b[1;31mred\x1b[0m\n"},
		{false, "\x1b[1;31mred\x1b[0m", `\x1b[1;31mred\x1b[0m`},
		{true, "\x1b[2J\x1b]0;x\x07\x1b[8m\x1b[5;31m\r\u202e", `\x1b[2J\x1b]0;x\a\x1b[8m\x1b[5;31m\r\u202e`},
		{true, "\xff\xc3", `\xff\xc3`},
		{false, "x\n ::error::y\n\t::set-output name=x::y\n##[error]z\n", "x\n \\x3a:error::y\n\t\\x3a:set-output name=x::y\n#\\x23[error]z\n"},
	} {
		var b strings.Builder
		w := NewTerminal(&b, test.colour)
		fmt.Fprint(w, test.text)
		_ = w.Flush()
		if b.String() != test.want {
			t.Errorf("%q is written %q, want %q", test.text, b.String(), test.want)
		}
	}
	var b strings.Builder
	w := NewTerminal(&b, false)
	for _, c := range []byte("ä☃𝄞\u202e\xff日\xe6") {
		_, _ = w.Write([]byte{c})
	}
	if _ = w.Flush(); b.String() != `ä☃𝄞\u202e\xff日\xe6` {
		t.Errorf("in pieces: %q", b.String())
	}
	fmt.Fprint(Data(w), "\x1b")
	if fmt.Fprint(Data(&b), "\x07"); !strings.HasSuffix(b.String(), "\x1b\x07") {
		t.Errorf("data: %q", b.String())
	}
}
