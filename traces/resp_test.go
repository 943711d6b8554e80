package traces

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

func TestPayloadText(t *testing.T) {
	for _, c := range []struct{ payload, want string }{
		{"", ""},
		{string(command("set", "lock", "9f2c41d08ab3e6671c55", "px", "2000", "nx")), "SET lock 9f2c41… PX 2000 NX"},
		{string(command("SET", "lock", "nx")), "SET lock nx"},
		{string(command("evalsha", digest, "1", "lock", "9f2c")), "EVALSHA 3c1f2b… lock 9f2c"},
		{string(command("eval", compareAndDelete, "1", "lock", "9f2c")), "EVAL <script> lock 9f2c"},
		{string(command("multi")) + string(command("del", "lock")) + string(command("exec")), "MULTI; DEL lock; EXEC"},
		{strings.Repeat(string(command("ping")), 5), "PING; PING; PING; and 28 bytes"},
		{"+OK\r\n", "+OK"},
		{":1\r\n", ":1"},
		{"$-1\r\n", "nil"},
		{"*-1\r\n", "nil"},
		{"_\r\n", "nil"},
		{"$4\r\n9f2c\r\n", `"9f2c"`},
		{"$0\r\n\r\n", `""`},
		{"-READONLY You can't write against a read only replica.\r\n", "-READONLY You can't write against a read only replica."},
		{"*2\r\n$1\r\na\r\n:5\r\n", `["a" :5]`},
		{"*2\r\n$4\r\nlock\r\n$4\r\n9f2c\r\n", `["lock" "9f2c"]`},
		{"*0\r\n", "[]"},
		{"*6\r\n+a\r\n+b\r\n+c\r\n+d\r\n+e\r\n+f\r\n", "[+a +b +c +d … 2 more]"},
		{"*30\r\n" + strings.Repeat(":1\r\n", 30), "[:1 :1 :1 :1 … 26 more]"},
		{"%1\r\n+proto\r\n:3\r\n", "[+proto :3]"},
		{">2\r\n+message\r\n#t\r\n", "[+message #t]"},
		{"*3\r\n$3\r\nSET\r\n$4\r\nlo", `SET lo (cut off)`},
		{"$10\r\nabc", `"abc" (cut off)`},
		{"+O", "+O (cut off)"},
		{"*2\r\n", "[] (cut off)"},
		{"PING\r\n", "PING"},
		{"write 7", "write 7"},
		{"\x00\x01binary\xff", `\x00\x01binary\xff`},
		{"$999999999999999999999\r\nx\r\n", `$999999999999999999999\r\nx`},
		{"$-5\r\n", "$-5"},
		{"*1000000000\r\n", "[] (cut off)"},
		{strings.Repeat("*1\r\n", 50), wording.Fit(strings.Repeat(`*1\r\n`, 50), maxPayloadText)},
		{"$3\r\nabcd\r\n", `$3\r\nabcd`},
		{string(command("get", "a\x1b[31mred!")), `GET a\x1b[…`},
	} {
		if got := PayloadText([]byte(c.payload)); got != c.want {
			t.Errorf("PayloadText(%.60q)\n got %s\nwant %s", c.payload, got, c.want)
		}
	}
}

func FuzzPayloadText(f *testing.F) {
	for _, seed := range []string{"+OK\r\n", "*2\r\n$3\r\nGET\r\n$4\r\nlock\r\n", "%2\r\n", "$-1\r\n", "*-1\r\n", "=15\r\ntxt:Some string\r\n", "|1\r\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		text := PayloadText(payload)
		if n := utf8.RuneCountInString(text); n > maxPayloadText+20 {
			t.Errorf("%d runes: %q", n, text)
		}
		for _, r := range text {
			if !unicode.IsPrint(r) {
				t.Errorf("%q contains %q", text, r)
			}
		}
	})
}
