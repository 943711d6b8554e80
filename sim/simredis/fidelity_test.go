package simredis

import (
	"fmt"
	"maps"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
)

// The fidelity tests run the same commands against a simulated node and a
// real redis-server and compare the replies byte for byte. Where the two are
// known to differ says [differences], and why.

// step is one command on one of a few connections, numbered from 0.
type step struct {
	conn  int
	words []string
}

func (s step) String() string { return fmt.Sprintf("%d> %q", s.conn, s.words) }

// What to do to a connection instead of sending a command.
const (
	drain  = "(drain)"  // read what has been published to it, by way of a PING
	hangUp = "(hangup)" // read until the server hangs up
)

// replay runs the steps and returns the replies, one for each step.
func replay(steps []step, dial func() *wire) []string {
	wires := map[int]*wire{}
	var replies []string
	for _, s := range steps {
		w := wires[s.conn]
		if w == nil {
			w = dial()
			wires[s.conn] = w
		}
		replies = append(replies, w.answer(s.words))
	}
	return replies
}

// answer sends a command and reads all that comes for it.
func (w *wire) answer(words []string) string {
	const mark = "the end of it"
	if words[0] == drain {
		w.send(encode("PING", mark))
	}
	if words[0] == drain || words[0] == hangUp {
		var all strings.Builder
		for {
			reply := w.reply()
			all.WriteString(reply)
			if strings.Contains(reply, mark) || strings.HasPrefix(reply, "(") || strings.HasPrefix(reply, "+QUEUED") {
				return all.String()
			}
		}
	}
	reply := w.do(words...)
	subscribes := strings.HasSuffix(strings.ToLower(words[0]), "subscribe")
	for pushed := reply; !subscribes && pushed[0] == '>'; reply += pushed { // before the answer
		pushed = w.reply()
	}
	if subscribes && (reply[0] == '*' || reply[0] == '>') {
		for range len(words) - 2 {
			reply += w.reply()
		}
	}
	return reply
}

// dialReal connects to the real Redis.
func dialReal(t *testing.T, socket string) *wire {
	c, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(5 * time.Minute))
	return newWire(t, c)
}

// compare runs the steps on both and returns the first difference.
func compare(t *testing.T, socket string, steps []step) string {
	t.Helper()
	var conns []net.Conn
	dial := func() *wire {
		w := dialReal(t, socket)
		conns = append(conns, w.c)
		return w
	}
	control := dial()
	control.want("+OK\r\n", "FLUSHALL")
	control.want("+OK\r\n", "SCRIPT", "FLUSH")
	began := time.Now()
	want := replay(steps, dial)
	took := time.Since(began)
	for _, c := range conns {
		_ = c.Close()
	}
	var got []string
	play(t, Options{}, func(x *player) {
		began := time.Now() // simulated
		got = replay(steps, x.primary)
		took += time.Since(began)
	})
	for i, s := range steps {
		if !alike(s.words, got[i], want[i], took) {
			var story strings.Builder
			for j := range i + 1 {
				fmt.Fprintf(&story, "%v\n   %q\n", steps[j], got[j])
			}
			return fmt.Sprintf("%s   but Redis %q", story.String(), want[i])
		}
	}
	return ""
}

// differences are the places where the simulated Redis answers otherwise: to
// which commands, what it answers, what Redis does, and why.
var differences = []*struct {
	words, got, want, reason string
	seen                     bool
}{
	{words: `^(XADD|OBJECT|FOO|CLIENT FOO|CLIENT LIST|SCRIPT FOO)`, got: `^-ERR the simulated Redis does not support '`, want: ``,
		reason: "What is not simulated is refused with an error of its own, unknown or not."},
	{words: `redis.call\('foo'\)`, got: `^-ERR the simulated Redis does not support 'FOO'`, want: `^-ERR Unknown Redis command called from script`,
		reason: "The same for scripts."},
	{words: `^CLIENT SETINFO`, got: `^\+OK|^-ERR `, want: `^-ERR unknown subcommand`,
		reason: "Redis 7.2 has it, 7.0 has not."},
	{words: `^HELLO`, got: `7\.2\.4`, want: `7\.0\.`,
		reason: "The simulated Redis answers as 7.2; ids of connections are the run's."},
	{words: `^INFO`, got: `^\$\d+\r\n# Server\r\nredis_version`, want: `^\$\d+\r\n# Server\r\nredis_version`,
		reason: "INFO has the few fields that clients look at."},
	{words: `^COMMAND COUNT$`, got: `^:\d+`, want: `^:\d+`,
		reason: "Not every command is simulated."},
	{words: `^(TIME|CLIENT ID)$`, got: `^[*:]`, want: `^[*:]`,
		reason: "The clock and the numbers of connections are the run's."},
	{words: `^(SELECT 1|COPY a b DB 1)$`, got: `database 0 only`, want: `^[+:]`,
		reason: "There is one database."},
	{words: `^(EVAL|SCRIPT LOAD) (return x y|if then|x y|return \(|goto x)`, got: `^-ERR Error compiling script \(new function\): user_script:1: .* near`, want: `^-ERR Error compiling script \(new function\): user_script:1: .* near`,
		reason: "Another compiler finds other words for the same errors."},
	{words: `^EVAL (local a|return 1 \+ )`, got: `^-ERR user_script:1: .* script: [0-9a-f]{40}, on @user_script:1\.`, want: `^-ERR user_script:1: .* script: [0-9a-f]{40}, on @user_script:1\.`,
		reason: "So does another interpreter."},
	{words: `^EVAL return (cjson.encode\(({}|1e14)\)|type\(bit\))`, got: ``, want: ``,
		reason: "cjson is an approximation; bit, struct and cmsgpack are missing."},
	{words: `^EVAL return redis.REDIS_VERSION`, got: `7\.2\.4`, want: `7\.0\.`,
		reason: "As for HELLO."},
	{words: `^(LINDEX|LSET|LPOP|RPOP|BITCOUNT|BITPOS|SINTERCARD|ZINTERSTORE|HINCRBYFLOAT) .*(x|-1|3|007)( |$)`, got: `^-|^:-1`, want: `^[-:$]`,
		reason: "Of two mistakes in one command the engine may name the other one, or name one in other words."},
	{words: `^INCRBYFLOAT `, got: `^\$\d\d\r\n-?\d{19}`, want: `^\$\d\d\r\n-?\d{19}`,
		reason: "The engine adds floats with more digits than Redis has."},
	{words: `^ZRANGE z 0 -1 WITHSCORES`, got: `,1.5`, want: `,1.5`,
		reason: "In RESP3 the engine's pairs of members and scores are flat."},
	{words: `^ZSCORE z tenth`, got: `^\$3\r\n0\.1\r\n`, want: `^\$19\r\n0\.10000000000000001\r\n`,
		reason: "Redis 7.2 writes scores with as few digits as distinguish them, 7.0 with seventeen."},
}

// alike reports whether the replies are the same, as far as they have to be, if
// the commands took so long in both worlds together.
func alike(words []string, got, want string, took time.Duration) bool {
	if got == want {
		return true
	}
	switch strings.ToLower(words[0]) {
	case "smembers", "sunion", "sinter", "sdiff", "hkeys", "hvals", "keys": // in any order
		return sortedItems(got, 1) == sortedItems(want, 1)
	case "hgetall":
		return sortedItems(got, 2) == sortedItems(want, 2)
	case "scan", "sscan":
		return sortedScan(got, 1) == sortedScan(want, 1)
	case "hscan", "zscan":
		return sortedScan(got, 2) == sortedScan(want, 2)
	case "hrandfield", "zrandmember": // some at random: compared are those that leave no choice but the order
		width := 1
		if strings.HasPrefix(strings.ToUpper(words[len(words)-1]), "WITH") {
			width = 2
		}
		return sortedItems(got, width) == sortedItems(want, width)
	case "ttl", "pttl":
		return near(got, want, took)
	}
	line := strings.Join(words, " ")
	for _, d := range differences {
		if matches(d.words, line) && matches(d.got, got) && matches(d.want, want) {
			d.seen = true
			return true
		}
	}
	return false
}

func matches(pattern, s string) bool { return regexp.MustCompile(pattern).MatchString(s) }

// near compares what is left of a time by two clocks, the simulated one and a real one, which
// meanwhile ran for at most a duration together. A time in seconds is rounded.
func near(a, b string, ran time.Duration) bool {
	x, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(a, ":")))
	y, err2 := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(b, ":")))
	if err != nil || err2 != nil || min(x, y) <= 0 {
		return false
	}
	const century = 1e9 // or a third of one: what is left until then is another time in each world
	return max(x, y)-min(x, y) <= 10+int(ran.Milliseconds()) || min(x, y) > century
}

// sortedItems sorts an array of bulk strings by groups of width.
func sortedItems(reply string, width int) string {
	parts := strings.SplitAfter(reply, "\r\n")
	if len(parts) < 2 {
		return reply
	}
	var items []string
	for i := 1; i+2*width <= len(parts); i += 2 * width {
		items = append(items, strings.Join(parts[i:i+2*width], ""))
	}
	slices.Sort(items)
	return parts[0] + strings.Join(items, "")
}

// sortedScan sorts what a scan has found that ended with its first reply, by groups of width.
func sortedScan(reply string, width int) string {
	const end = "*2\r\n$1\r\n0\r\n"
	if found, ended := strings.CutPrefix(reply, end); ended {
		return end + sortedItems(found, width)
	}
	return reply
}

func TestFidelity(t *testing.T) {
	socket := realredis.Start(t).Socket
	t.Run("table", func(t *testing.T) { testTable(t, socket) })
	t.Run("protocol", func(t *testing.T) { testProtocolFidelity(t, socket) })
	t.Run("commands", func(t *testing.T) { testTableFidelity(t, socket) })
	t.Run("golden", func(t *testing.T) { testGoldenFidelity(t, socket) })
	t.Run("random", func(t *testing.T) { testRandomFidelity(t, socket) })
	t.Run("mixed", func(t *testing.T) { testMixedFidelity(t, socket) })
}

func testTableFidelity(t *testing.T, socket string) {
	for _, c := range slices.Concat(fidelityTable, scriptsTable, connectionsTable, trackingTable) {
		t.Run(c.name, func(t *testing.T) {
			if d := compare(t, socket, parseSteps(c.script)); d != "" {
				t.Error(d)
			}
		})
	}
	for _, d := range differences {
		if !d.seen {
			t.Errorf("there is no difference any more in what is answered to %q (%s)", d.words, d.reason)
		}
	}
}

// parseSteps reads a script of the table.
func parseSteps(script string) (steps []step) {
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		s := step{}
		if n, rest, ok := strings.Cut(line, "> "); ok && len(n) == 1 {
			s.conn, line = int(n[0]-'0'), rest
		}
		for i, part := range strings.Split(line, "|") {
			if i%2 == 1 {
				s.words = append(s.words, part)
			} else {
				s.words = append(s.words, strings.Fields(part)...)
			}
		}
		if len(s.words) > 0 {
			steps = append(steps, s)
		}
	}
	return steps
}

// testProtocolFidelity sends bytes that no well-behaved client sends. Some of
// them make the server hang up.
func testProtocolFidelity(t *testing.T, socket string) {
	ping := string(encode("PING"))
	long := strings.Repeat("1", 70_000)
	stays := [][]string{
		{ping + ping + ping},
		{ping[:1], ping[1:5], ping[5:6], ping[6:12], ping[12:] + ping[:7], ping[7:]},
		{"PING\r\n"}, {"PING\n"}, {"SET k v\r\nGET k\r\n"}, {"\r\n\r\n"}, {"  \r\n"}, {"PI", "NG\r", "\n"},
		{"*0\r\n"}, {"*-1\r\n"}, {"*-5\r\n"}, {"*1\r\n$4\r\nPINGxx"},
		{string(encode("SET", "k", "\x00\r\n\xff")) + string(encode("GET", "k"))},
	}
	closes := [][]string{
		{"*x\r\n"}, {"*1x\r\n"}, {"*+1\r\n"}, {"*01\r\n"}, {"*2147483648\r\n"}, {"*99999999999999999999\r\n"}, {"*\r\n"},
		{"*1\r\nPING\r\n"}, {"*1\r\n:4\r\n"}, {"*2\r\n$4\r\nPING\r\n+x\r\n"},
		{"*1\r\n$x\r\n"}, {"*1\r\n$-1\r\n"}, {"*1\r\n$536870913\r\n"}, {"*1\r\n$99999999999999999999\r\n"},
		{"*" + long}, {"*1\r\n$" + long}, {long},
		{ping + "*x\r\n" + ping},
		{string(encode("QUIT")) + ping}, {string(encode("quit", "now"))},
		{string(encode("MULTI")) + string(encode("QUIT"))},
	}
	same := func(segments []string, end []string) {
		story := func(w *wire) string {
			for _, s := range segments {
				w.send([]byte(s))
			}
			return w.answer(end)
		}
		real := dialReal(t, socket)
		want := story(real)
		_ = real.c.Close()
		var got string
		play(t, Options{}, func(x *player) { got = story(x.primary()) })
		if got != want {
			t.Errorf("%.80q answered %.200q, but Redis %.200q", segments, got, want)
		}
	}
	for _, segments := range stays {
		same(segments, []string{drain})
	}
	for _, segments := range closes {
		same(segments, []string{hangUp})
	}
}

// testTable compares the table of commands with Redis's own.
func testTable(t *testing.T, socket string) {
	w := dialReal(t, socket)
	for _, name := range slices.Sorted(maps.Keys(specs)) {
		s := specs[name]
		reply := w.do("COMMAND", "INFO", name)
		if notInReal[name] != "" {
			if !strings.HasPrefix(reply, "*1\r\n*-1") && reply != "*1\r\n$-1\r\n" {
				t.Errorf("%s is in notInReal, and Redis knows it: %.60q", name, reply)
			}
			continue
		}
		if !strings.Contains(reply, fmt.Sprintf("\r\n%s\r\n:%d\r\n", name, s.arity)) {
			t.Errorf("the arity of %s is %d: %.60q", name, s.arity, reply)
		}
		flags, _, _ := strings.Cut(reply, "@") // categories and subcommands follow
		for flag, has := range map[string]bool{"write": s.write, "noscript": s.noScript} {
			if strings.Contains(flags, "+"+flag+"\r\n") != has {
				t.Errorf("%s of %s is %v: %.200q", flag, name, has, flags)
			}
		}
	}
}
