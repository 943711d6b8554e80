package simredis

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
)

// scriptsOf is where the scripts of the locks are.
const scriptsOf = "../../lock/redislocks/internal/scripts/"

// A lockFamily is what the clients of one kind of lock send. In its forms
// @name is the script of that name, and @a+b of two files that are one script;
// the forms are drawn from as those of [forms] are.
type lockFamily struct {
	name, keys, forms string
}

// lockFamilies are all scripts that the locks have, and the commands that they
// send besides. Channels are ch, and ch:p1 and ch:p2 of the fair lock's processes.
var lockFamilies = []lockFamily{
	{"one key", "lock fence", `
		SET lock VALUE NX PX LEASE
		SET lock VALUE NX
		SETNX lock VALUE
		GETSET lock VALUE
		GET lock
		DEL lock
		INCR fence
		@compare_and_delete 1 lock VALUE
		@compare_and_expire 1 lock VALUE LEASE
		@add_if_absent 1 lock VALUE LEASE
		@has 1 lock VALUE
		@acquire_fenced 2 lock fence VALUE LEASE
		WATCH lock
		MULTI
		EXEC
		EXEC
		UNWATCH
		WAIT 0 0
		WAIT 1 1`},
	{"reentrant", "lock", `
		@reentrant_acquire 1 lock LEASE HOLDER AGAIN
		@reentrant_acquire 1 lock LEASE HOLDER 1
		@reentrant_release 1 lock LEASE HOLDER LEFT ch
		@reentrant_renew 1 lock LEASE HOLDER
		@reentrant_has 1 lock HOLDER`},
	{"fair", "lock queue times", `
		@fair_acquire 3 lock queue times LEASE HOLDER 1 LEASE
		@fair_acquire 3 lock queue times LEASE HOLDER AGAIN LEASE
		@fair_acquire 3 lock queue times LEASE HOLDER 1 100000
		@fair_acquire 3 lock queue times LEASE HOLDER 1 0
		@fair_release 3 lock queue times LEASE HOLDER LEFT ch
		@reentrant_renew 1 lock LEASE HOLDER`},
	{"readers and a writer", "lock ends", `
		@rw+rw_read 2 lock ends LEASE HOLDER AGAIN
		@rw+rw_read 2 lock ends LEASE HOLDER 1
		@rw+rw_write 2 lock ends LEASE HOLDER AGAIN
		@rw+rw_write 2 lock ends LEASE HOLDER 1
		@rw+rw_release 2 lock ends LEASE READER LEFT ch
		@rw+rw_release 2 lock ends LEASE WRITER LEFT ch
		@rw+rw_renew 2 lock ends LEASE READER
		@rw+rw_renew 2 lock ends LEASE WRITER
		@rw_has 2 lock ends READER
		@rw_has 2 lock ends WRITER`},
	{"semaphore", "lock", `
		@semaphore_acquire 1 lock HOLDER SOME TOTAL
		@semaphore_acquire 1 lock HOLDER 1 TOTAL
		@semaphore_release 1 lock HOLDER ch
		@semaphore_used 1 lock`},
	{"permits with leases", "lock", `
		@permits+permits_acquire 1 lock LEASE HOLDER SOME TOTAL
		@permits+permits_acquire 1 lock LEASE HOLDER SOME TOTAL
		@permits+permits_release 1 lock HOLDER SOME ch
		@permits+permits_renew 1 lock LEASE HOLDER SOME
		@permits+permits_used 1 lock`},
	{"latch and barrier", "lock generation waiting passed kept", `
		@latch_set 1 lock SOME HOLDER
		@latch_count_down 1 lock HOLDER ch
		@latch_count_down 1 lock HOLDER ch
		@latch_count 1 lock
		@barrier_await 4 generation waiting passed kept HOLDER GENERATION SOME LEASE ch
		@barrier_await 4 generation waiting passed kept HOLDER GENERATION SOME 100000 ch
		@barrier_leave 4 generation waiting passed kept HOLDER GENERATION`},
	{"segments", "order stock:1 lock:1 stock:2 lock:2", `
		@segment_fill 2 stock:1 stock:2 SOME SOME
		@segment_left 2 stock:1 stock:2
		SET lock:1 VALUE NX PX LEASE
		@add_if_absent 1 lock:2 VALUE LEASE
		@compare_and_delete 1 lock:1 VALUE
		@segment_take 3 order stock:1 lock:1 VALUE LEASE SOME
		@segment_take 5 order stock:1 lock:1 stock:2 lock:2 VALUE LEASE SOME LEFT`},
}

// nap is how long time passes at once. Leases end well before or after a whole
// number of naps, and so do twice as long ones. On a machine that is slow all
// times are longer by the same factor.
const nap = 100 * time.Millisecond

// slack is how far either world may be behind while nothing that is to be
// compared comes out otherwise; what is left of a lease may differ by as much.
const slack = 25 * time.Millisecond

// asleep is a step that is a nap.
const asleep = "(nap)"

var lockFillings = map[string]*rapid.Generator[string]{
	"VALUE":      rapid.SampledFrom([]string{"v1", "v2"}),
	"HOLDER":     rapid.SampledFrom([]string{"p1:a", "p1:b", "p2:c"}),
	"READER":     rapid.SampledFrom([]string{"r:p1:a", "r:p1:b", "r:p2:c"}),
	"WRITER":     rapid.SampledFrom([]string{"w:p1:a", "w:p1:b", "w:p2:c"}),
	"LEASE":      rapid.SampledFrom([]string{"30", "30", "30", "130", "130", "130", "100000", "100000", "100000", "0", "x"}),
	"AGAIN":      rapid.SampledFrom([]string{"1", "2", "3"}),
	"LEFT":       rapid.SampledFrom([]string{"0", "0", "1", "2"}),
	"SOME":       rapid.SampledFrom([]string{"1", "2", "3"}),
	"TOTAL":      rapid.SampledFrom([]string{"3", "4"}),
	"GENERATION": rapid.SampledFrom([]string{"", "0", "1"}),
}

// dump answers what a key has, with what is left until scores that are times.
const dump = `local kind, list = redis.call('TYPE', KEYS[1]).ok, {}
if kind == 'string' then
	list[1] = redis.call('GET', KEYS[1])
elseif kind == 'list' then
	list = redis.call('LRANGE', KEYS[1], 0, -1)
elseif kind == 'set' then
	list = redis.call('SMEMBERS', KEYS[1])
	table.sort(list)
elseif kind == 'hash' then
	local all = redis.call('HGETALL', KEYS[1])
	for i = 1, #all, 2 do list[#list + 1] = all[i] .. '=' .. all[i + 1] end
	table.sort(list)
elseif kind == 'zset' then
	local time = redis.call('TIME')
	local members = redis.call('ZRANGE', KEYS[1], 0, -1)
	table.sort(members)
	for _, m in ipairs(members) do
		list[#list + 1] = m
		local left = redis.call('ZSCORE', KEYS[1], m) - time[1] * 1000 - math.floor(time[2] / 1000)
		list[#list + 1] = math.max(left, 0)
	end
end
return {kind, redis.call('PTTL', KEYS[1]), list}`

// lockScripts reads the scripts that the families name.
func lockScripts(t *testing.T) map[string]string {
	t.Helper()
	used, scripts := map[string]bool{}, map[string]string{}
	for _, family := range lockFamilies {
		for _, name := range regexp.MustCompile(`@\S+`).FindAllString(family.forms, -1) {
			var whole strings.Builder
			for file := range strings.SplitSeq(name[1:], "+") {
				source, err := os.ReadFile(scriptsOf + file + ".lua")
				if err != nil {
					t.Fatal(err)
				}
				used[file] = true
				whole.Write(source)
			}
			scripts[name] = whole.String()
		}
	}
	files, err := filepath.Glob(scriptsOf + "*.lua")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !used[strings.TrimSuffix(filepath.Base(file), ".lua")] {
			t.Errorf("%s is in none of the families: nothing shows that both execute it alike", file)
		}
	}
	return scripts
}

// TestLockFidelity runs what the clients of a lock send, in any order, from
// several connections, while time passes, against both.
func TestLockFidelity(t *testing.T) {
	scripts := lockScripts(t)
	var done sync.WaitGroup
	defer done.Wait()
	for _, family := range lockFamilies {
		done.Go(func() { // each has a server of its own, and naps most of the time
			t.Run(family.name, func(t *testing.T) { family.test(t, scripts) })
		})
	}
}

// test compares sequences of the family.
func (f lockFamily) test(t *testing.T, scripts map[string]string) {
	compareDrawn(t, realredis.Start(t).Socket, func(rt *rapid.T) []step { return f.draw(rt, scripts) })
}

// compareDrawn compares sequences, for as long as it may take.
func compareDrawn(t *testing.T, socket string, draw func(*rapid.T) []step) {
	budget := 10 * time.Second
	switch {
	case os.Getenv("LOCKPICK_LONG") != "":
		budget = time.Hour
	case testing.Short():
		budget = 2 * time.Second
	}
	start, compared := time.Now(), 0
	rapid.Check(t, func(rt *rapid.T) {
		steps := draw(rt)
		if time.Since(start) > budget && compared > 0 {
			return
		}
		compared++
		if d := compareTimed(t, socket, steps); d != "" {
			rt.Fatal(d)
		}
	})
	t.Logf("%d sequences compared", compared)
}

// draw draws a sequence, which ends with a look at all keys.
func (f lockFamily) draw(rt *rapid.T, scripts map[string]string) (steps []step) {
	forms := strings.Split(strings.TrimSpace(f.forms), "\n")
	keys := strings.Fields(f.keys)
	const listener = 9
	steps = append(steps, step{listener, []string{"SUBSCRIBE", "ch", "ch:p1", "ch:p2"}})
	for range rapid.IntRange(1, 40).Draw(rt, "steps") {
		s := step{conn: rapid.IntRange(0, 2).Draw(rt, "conn")}
		key := rapid.SampledFrom(keys).Draw(rt, "key")
		switch rapid.IntRange(0, 30).Draw(rt, "what") {
		case 0, 1:
			s.words = []string{asleep}
		case 2:
			s.words = []string{"EVAL", dump, "1", key}
		case 3:
			s = step{listener, []string{drain}}
		case 4:
			s.words = rapid.SampledFrom([][]string{
				{"DEL", key}, {"SET", key, "1"}, {"PEXPIRE", key, "130"}, {"PERSIST", key}, {"FLUSHALL"}, {"SCRIPT", "FLUSH"},
				{"LPUSH", key, "p1:a"}, {"HSET", key, "p1:a", "0"}, {"ZADD", key, "1", "p1:a"},
			}).Draw(rt, "stray")
		default:
			s.words = drawForm(rt, strings.Fields(rapid.SampledFrom(forms).Draw(rt, "form")), scripts)
			if i := slices.Index(s.words, key); i > 0 && rapid.IntRange(0, 15).Draw(rt, "mistaken") == 0 {
				s.words[i] = keys[0] // one key for two things
			}
		}
		steps = append(steps, s)
	}
	steps = append(steps, step{listener, []string{drain}})
	for _, key := range keys {
		steps = append(steps, step{8, []string{"EVAL", dump, "1", key}})
	}
	return steps
}

// drawForm fills a form in. A script is sent whole, or by its digest.
func drawForm(rt *rapid.T, words []string, scripts map[string]string) []string {
	for i, w := range words {
		if g := lockFillings[w]; g != nil {
			words[i] = g.Draw(rt, w)
		}
	}
	source, ok := scripts[words[0]]
	switch {
	case !ok:
		return words
	case rapid.Bool().Draw(rt, "digest"):
		digest := sha1.Sum([]byte(source))
		return slices.Concat([]string{"EVALSHA", hex.EncodeToString(digest[:])}, words[1:])
	}
	return slices.Concat([]string{"EVAL", source}, words[1:])
}

// compareTimed runs the steps on both and returns the first difference. If the
// machine was too slow for that it takes more time.
func compareTimed(t *testing.T, socket string, steps []step) (difference string) {
	t.Helper()
	const slowest = 64
	for factor := 1; factor <= slowest; factor *= 2 {
		scaled := slower(steps, factor)
		want, late := replayReal(t, socket, scaled, factor)
		if late > slack*time.Duration(factor) {
			continue
		}
		got := replaySimulated(t, scaled, factor)
		for i := range steps {
			if scaled[i].words[0] != "HELLO" && !alikeTimed(got[i], want[i], factor) {
				return fmt.Sprintf("%s   but Redis %q", story(scaled[:i+1], got), want[i])
			}
		}
		return ""
	}
	t.Fatalf("the machine is too slow: with naps of %v it was late", slowest*nap)
	return ""
}

// slower is the steps with longer leases.
func slower(steps []step, factor int) []step {
	longer := map[string]string{"30": strconv.Itoa(30 * factor), "130": strconv.Itoa(130 * factor)}
	var list []step
	for _, s := range steps {
		words := slices.Clone(s.words)
		for i, w := range words {
			if lease, ok := longer[w]; ok {
				words[i] = lease
			}
		}
		list = append(list, step{s.conn, words})
	}
	return list
}

// replaySimulated runs the steps on a simulated node.
func replaySimulated(t *testing.T, steps []step, factor int) (replies []string) {
	t.Helper()
	var late time.Duration
	play(t, Options{}, func(x *player) {
		now := func() (now time.Duration) {
			x.conduct(func([]*Node) { now = x.world.Now() })
			return now
		}
		replies, late = replayTimed(steps, factor, x.primary, now, x.pass)
	})
	if late > slack {
		t.Fatalf("the simulated node is %v late: the sequence is too long", late)
	}
	return replies
}

// story lists steps and their replies, of scripts the last lines.
func story(steps []step, replies []string) string {
	var b strings.Builder
	for i, s := range steps {
		words := slices.Clone(s.words)
		for j, w := range words {
			if lines := strings.Split(strings.TrimSpace(w), "\n"); len(lines) > 1 {
				words[j] = "... " + strings.Join(lines[max(0, len(lines)-3):], " ")
			}
		}
		fmt.Fprintf(&b, "%v\n   %q\n", step{s.conn, words}, replies[i])
	}
	return b.String()
}

// replayReal runs the steps on the real server.
func replayReal(t *testing.T, socket string, steps []step, factor int) (replies []string, late time.Duration) {
	t.Helper()
	var wires []*wire
	dial := func() *wire {
		w := dialReal(t, socket)
		wires = append(wires, w)
		return w
	}
	control := dial()
	control.want("+OK\r\n", "FLUSHALL")
	control.want("+OK\r\n", "SCRIPT", "FLUSH")
	start := time.Now()
	replies, late = replayTimed(steps, factor, dial, func() time.Duration { return time.Since(start) }, time.Sleep)
	for _, w := range wires {
		_ = w.c.Close()
	}
	return replies, late
}

// replayTimed runs the steps, and answers how late it was at most: later than
// if nothing but the naps took time. It naps for less when it is late.
func replayTimed(steps []step, factor int, dial func() *wire, now func() time.Duration, pass func(time.Duration)) (replies []string, late time.Duration) {
	wires := map[int]*wire{}
	for _, s := range steps {
		if wires[s.conn] == nil {
			wires[s.conn] = dial()
		}
	}
	due := now()
	for _, s := range steps {
		if s.words[0] == asleep {
			due += nap * time.Duration(factor)
			pass(due - now())
			replies = append(replies, "")
		} else {
			replies = append(replies, wires[s.conn].answer(s.words))
		}
		late = max(late, now()-due)
	}
	return replies, late
}

// alikeTimed reports whether the replies are the same, but for what is left of
// times, and for the words of the interpreter's errors.
func alikeTimed(got, want string, factor int) bool {
	if got == want {
		return true
	}
	if place := errorPlace(got); place != "" && place == errorPlace(want) {
		return true
	}
	a, b := strings.Split(got, "\r\n"), strings.Split(want, "\r\n")
	return slices.EqualFunc(a, b, func(x, y string) bool { return x == y || nearTimes(x, y, slack*time.Duration(factor)) })
}

var interpreterError = regexp.MustCompile(`^-ERR user_script:\d+: .* (script: [0-9a-f]{40}, on @user_script:\d+\.)`)

// errorPlace is where in which script the interpreter found an error.
func errorPlace(reply string) string {
	if m := interpreterError.FindStringSubmatch(reply); m != nil {
		return m[1]
	}
	return ""
}

// nearTimes compares two numbers that are milliseconds to come: no counts, nor
// the -1 and -2 of PTTL, which are smaller.
func nearTimes(a, b string, most time.Duration) bool {
	x, err := strconv.Atoi(strings.TrimPrefix(a, ":"))
	y, err2 := strconv.Atoi(strings.TrimPrefix(b, ":"))
	const counts = 4
	return err == nil && err2 == nil && a[0] == ':' && b[0] == ':' && min(x, y) > counts &&
		time.Duration(max(x, y)-min(x, y))*time.Millisecond <= most
}
