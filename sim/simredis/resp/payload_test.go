package resp

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/payload"
)

func TestPayloadText(t *testing.T) {
	const (
		script = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`
		sha    = "3c1f2b5a9d8e7f60718293a4b5c6d7e8f9012345"
	)
	for _, c := range []struct{ payload, want string }{
		{"", ""},
		{string(encode("set", "lock", "9f2c41d08ab3e6671c55", "px", "2000", "nx")), "SET lock 9f2c41… PX 2000 NX"},
		{string(encode("SET", "lock", "nx")), "SET lock nx"},
		{string(encode("evalsha", sha, "1", "lock", "9f2c")), "EVALSHA 3c1f2b… lock 9f2c"},
		{string(encode("eval", script, "1", "lock", "9f2c")), "EVAL <script> lock 9f2c"},
		{string(encode("multi")) + string(encode("del", "lock")) + string(encode("exec")), "MULTI; DEL lock; EXEC"},
		{strings.Repeat(string(encode("ping")), 5), "PING; PING; PING; and 28 bytes"},
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
		{strings.Repeat("*1\r\n", 50), wording.Fit(strings.Repeat(`*1\r\n`, 50), payload.Most)},
		{"$3\r\nabcd\r\n", `$3\r\nabcd`},
		{string(encode("get", "a\x1b[31mred!")), `GET a\x1b[31mred!`},
		{string(encode("set", "orders:inventory:wanted", "a-value-that-is-long", "nx")), "SET orders:inventory:wanted a-valu… NX"},
		{string(encode("evalsha", sha, "2", "orders:inventory", "orders:inventory:fence", "a-value-that-is-long")), "EVALSHA 3c1f2b… orders:inventory orders:inventory:fence a-valu…"},
		{string(encode("del", "orders:inventory", "orders:inventory:fence")), "DEL orders:inventory orders:inventory:fence"},
		{string(encode("mset", "orders:inventory", "a-value-that-is-long")), "MSET orders:inventory a-valu…"},
		{string(encode("auth", "a-password-that-is-long")), "AUTH a-pass…"},
	} {
		if got := payloadText([]byte(c.payload)); got != c.want {
			t.Errorf("payloadText(%.60q)\n got %s\nwant %s", c.payload, got, c.want)
		}
	}
}

// TestPayloadList tells lists, which say less than their requests, from all else,
// as the text of a run shows it.
func TestPayloadList(t *testing.T) {
	for segment, want := range map[string]payload.Message{
		"":                       {},
		":1\r\n":                 {Text: ":1"},
		"*1\r\n$1\r\na\r\n":      {Text: `["a"]`, List: true},
		"%1\r\n+proto\r\n:3\r\n": {Text: "[+proto :3]", List: true},
	} {
		if got := payload.Of("redis", nil, &sim.Event{Payload: []byte(segment)}); got != want {
			t.Errorf("%q: %+v, want %+v", segment, got, want)
		}
	}
}

func FuzzPayloadText(f *testing.F) {
	for _, seed := range []string{"+OK\r\n", "*2\r\n$3\r\nGET\r\n$4\r\nlock\r\n", "%2\r\n", "$-1\r\n", "*-1\r\n", "=15\r\ntxt:Some string\r\n", "|1\r\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, segment []byte) {
		text := payloadText(segment)
		if n := utf8.RuneCountInString(text); n > payload.Most+20 {
			t.Errorf("%d runes: %q", n, text)
		}
		for _, r := range text {
			if !unicode.IsPrint(r) {
				t.Errorf("%q contains %q", text, r)
			}
		}
	})
}

// TestAside: what is of the connection or asks for a script decides nothing about a lock; commands and their
// answers do.
func TestAside(t *testing.T) {
	for segment, want := range map[string]bool{
		"*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n": true, "-NOSCRIPT No matching script.\r\n": true, "+PONG\r\n": true,
		"+OK\r\n": false, ":0\r\n": false, "*2\r\n$3\r\nGET\r\n$4\r\nlock\r\n": false, "$-1\r\n": false,
	} {
		if got := readPayload([]byte(segment)); got.Aside != want {
			t.Errorf("%q: %+v", segment, got)
		}
	}
}

// encode is a command as clients send it.
func encode(words ...string) []byte {
	b := fmt.Appendf(nil, "*%d\r\n", len(words))
	for _, w := range words {
		b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(w), w)
	}
	return b
}
