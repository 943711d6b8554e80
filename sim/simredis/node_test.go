package simredis

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

const ms = time.Millisecond

// The bubble's clock begins in 2000, at midnight.
var begin = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func atMillis(d time.Duration) string { return strconv.FormatInt(begin.Add(d).UnixMilli(), 10) }

// TestLastMillisecond: a key is there in the millisecond of its expiry, with
// nothing left, and gone in the next.
func TestLastMillisecond(t *testing.T) {
	play(t, Options{}, func(x *player) {
		w := x.primary()
		w.want("+OK\r\n", "SET", "k", "v", "PXAT", atMillis(50*ms))
		w.want("+OK\r\n", "SET", "before", "v", "PXAT", atMillis(49*ms)) // whose end is no other's
		for _, look := range []struct {
			at   time.Duration
			pttl string
			get  string
		}{
			{49*ms + 900*time.Microsecond, ":1\r\n", "$1\r\nv\r\n"},
			{50*ms + 10*time.Microsecond, ":0\r\n", "$1\r\nv\r\n"},
			{50*ms + 900*time.Microsecond, ":0\r\n", "$1\r\nv\r\n"},
			{51*ms + 10*time.Microsecond, ":-2\r\n", "$-1\r\n"},
		} {
			x.until(look.at)
			w.send(append(encode("PTTL", "k"), encode("GET", "k")...)) // one segment, one instant
			if pttl, get := w.reply(), w.reply(); pttl != look.pttl || get != look.get {
				t.Errorf("at %v PTTL is %q and GET %q, want %q and %q", look.at, pttl, get, look.pttl, look.get)
			}
		}
	})
}

// TestRounding: seconds are rounded, in scripts and right after a change too.
func TestRounding(t *testing.T) {
	play(t, Options{}, func(x *player) {
		w := x.primary()
		for millis, seconds := range map[string]string{"1499": ":1\r\n", "1500": ":2\r\n", "400": ":0\r\n", "99600": ":100\r\n"} {
			w.want("*2\r\n+OK\r\n"+seconds, "EVAL", "return {redis.call('set', 'k', 'v', 'px', ARGV[1]), redis.call('ttl', 'k')}", "0", millis)
			w.want(seconds, "EVAL", "redis.call('pexpire', 'k', ARGV[1]) return redis.call('ttl', 'k')", "0", millis)
		}
	})
}

// TestClockJumps: absolute expiries stay, what is left of them changes.
func TestClockJumps(t *testing.T) {
	play(t, Options{}, func(x *player) {
		w := x.primary()
		w.do("SCRIPT", "LOAD", "return 1")
		w.do("SET", "a", "1", "PXAT", atMillis(1000*ms))
		w.do("SET", "b", "2", "PXAT", atMillis(5000*ms))
		x.wantObserved(1, "created a=1 of 0 by 0", "created b=2 of 0 by 0")
		x.jump(1, 2*time.Second)
		x.wantObserved(1, "expired a=1 of 0")
		w.want("$-1\r\n", "GET", "a")
		x.until(100 * ms)
		w.want(":2900\r\n", "PTTL", "b")
		x.jump(1, -time.Second) // a is gone all the same
		w.want("$-1\r\n", "GET", "a")
		x.until(200 * ms)
		w.want(":3800\r\n", "PTTL", "b")
		x.pass(3700 * ms)
		x.wantObserved(1)
		x.pass(200 * ms) // its clock is ahead by one second, so b ends after four
		x.wantObserved(1, "expired b=2 of 0")
		w.want(":1\r\n", "EVALSHA", sha1Hex("return 1"), "0") // a jump costs nothing else
	})
}

// TestTime: TIME is the node's clock.
func TestTime(t *testing.T) {
	play(t, Options{}, func(x *player) {
		w := x.primary()
		x.jump(1, 7*time.Second+3*ms)
		x.until(100*ms + 500*time.Microsecond)
		seconds := strconv.FormatInt(begin.Unix()+7, 10)
		w.want("*2\r\n$9\r\n"+seconds+"\r\n$6\r\n103000\r\n", "TIME")
	})
}

// TestService: a node executes one command at a time and takes its time for
// each; other connections wait.
func TestService(t *testing.T) {
	const service = ms
	x := play(t, Options{Service: service}, func(x *player) {
		a, b := x.primary(), x.primary()
		var pipeline []byte
		for range 5 {
			pipeline = append(pipeline, encode("INCR", "n")...)
		}
		a.send(pipeline)
		b.send(encode("INCR", "n"))
		for i := range 5 {
			if got, want := a.reply(), ":"+strconv.Itoa(i+1)+"\r\n"; got != want {
				t.Errorf("answer %d is %q", i+1, got)
			}
		}
		if got := b.reply(); got != ":6\r\n" {
			t.Errorf("the other connection was answered %q", got)
		}
	})
	if len(x.seen) != 6 {
		t.Fatalf("observed %d changes", len(x.seen))
	}
	if first, last := x.seen[0].At, x.seen[5].At; last-first < 5*service || last-first > 5*service+ms/2 {
		t.Errorf("the last was executed %v after the first, want 5 ms", last-first)
	}
}

// TestSentBeforeHangingUp: what a client has sent is executed though it hangs
// up, and though the node is busy until after that.
func TestSentBeforeHangingUp(t *testing.T) {
	x := play(t, Options{Service: 5 * ms}, func(x *player) {
		a, b := x.primary(), x.primary()
		a.send(encode("PING"))
		x.pass(100 * time.Microsecond)
		b.send(encode("SET", "k", "v"))
		_ = b.c.Close()
		x.pass(50 * ms)
		a.reply()
		a.want("$1\r\nv\r\n", "GET", "k")
	})
	if len(x.seen) != 1 {
		t.Errorf("observed %+v", x.seen)
	}
}

// TestSubscriberGone: a client that has hung up gets no messages.
func TestSubscriberGone(t *testing.T) {
	play(t, Options{}, func(x *player) {
		a, b, c := x.primary(), x.primary(), x.primary()
		b.answer([]string{"SUBSCRIBE", "x", "y"})
		c.answer([]string{"SUBSCRIBE", "x"})
		a.want(":2\r\n", "PUBLISH", "x", "1")
		_ = b.c.Close()
		c.want("*3\r\n$7\r\nmessage\r\n$1\r\nx\r\n$1\r\n1\r\n", "QUIT")
		x.settle()
		a.want(":0\r\n", "PUBLISH", "x", "2")
	})
}

// TestQuit: nothing that follows it is executed.
func TestQuit(t *testing.T) {
	x := play(t, Options{}, func(x *player) {
		w := x.primary()
		w.send(append(encode("QUIT"), encode("SET", "k", "v")...))
		w.send(encode("SET", "k", "w"))
		x.settle()
	})
	if len(x.seen) != 0 {
		t.Errorf("observed %+v", x.seen)
	}
}

// TestCrashWhileBusy: what waits in the queue is lost, connections are reset by
// one event each, and a node that was busy when it crashed works again after
// its return.
func TestCrashWhileBusy(t *testing.T) {
	x := play(t, Options{Replicas: 1, Service: 5 * ms}, func(x *player) {
		a, b, c := x.node(1), x.node(1), x.primary()
		a.send(encode("SET", "a", "1"))
		x.pass(50 * time.Microsecond)
		b.send(encode("SET", "b", "1"))
		x.pass(ms)
		x.must(func(n []*Node) error { n[0].Crash(); return n[0].cluster.Promote(n[1]) })
		for i, w := range []*wire{a, b, c} {
			if got := w.reply(); !strings.Contains(got, "reset") {
				t.Errorf("connection %d read %q", i+1, got)
			}
		}
		if _, err := x.tryDial(x.cluster.Nodes()[0].Address()); err == nil {
			t.Error("a crashed node accepted a connection")
		}
		x.must(func(n []*Node) error { return n[0].cluster.Rejoin(n[0]) })
		x.pass(20 * ms)
		x.node(1).want("$-1\r\n", "GET", "b")
		x.node(1).want("-READONLY You can't write against a read only replica.\r\n", "SET", "b", "1")
		x.primary().want("+OK\r\n", "SET", "b", "2")
	})
	resets := map[int]int{}
	for _, e := range x.report.Events {
		if e.Kind == sim.EventReset {
			resets[e.Conn]++
		}
	}
	if len(resets) != 3 || resets[1] != 1 || resets[2] != 1 || resets[3] != 1 {
		t.Errorf("resets by connection: %v, want one each of three", resets)
	}
}

// TestHugeAnnouncements: memory is for what has arrived, not for what has been
// announced.
func TestHugeAnnouncements(t *testing.T) {
	announced := []byte("*2147483647\r\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 1000 {
		if args, rest, err := parseCommand(announced); args != nil || len(rest) != len(announced) || err != nil {
			t.Fatalf("parsed %q, %q, %v", args, rest, err)
		}
	}
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 10<<20 {
		t.Errorf("%d bytes for 1,000 announcements", bytes)
	}
	play(t, Options{}, func(x *player) {
		w := x.primary()
		w.send(announced)
		w.send([]byte("$536870912\r\nabc"))
		x.settle()
		x.primary().want("+PONG\r\n", "PING")
	})
}

// TestUnsupported: what is not simulated says so, wherever it is asked for.
func TestUnsupported(t *testing.T) {
	play(t, Options{}, func(x *player) {
		w := x.primary()
		const no = "-ERR the simulated Redis does not support 'XADD' (package simredis lists what it does)\r\n"
		w.want(no, "xadd", "s", "*", "a", "b")
		w.want("+OK\r\n", "MULTI")
		w.want(no, "XADD", "s", "*", "a", "b")
		w.want("-EXECABORT Transaction discarded because of previous errors.\r\n", "EXEC")
		w.want(strings.TrimSuffix(no, "\r\n")+" script: "+sha1Hex("redis.call('xadd', 1)")+", on @user_script:1.\r\n", "EVAL", "redis.call('xadd', 1)", "0")
		w.want(no, "EVAL", "return redis.pcall('xadd', 1)", "0")
		w.want(strings.Replace(no, "XADD", "CLIENT KILL", 1), "CLIENT", "KILL", "x")
		w.want(strings.Replace(no, "XADD", "CLIENT ID", 1), "client|id", "x")
		w.want("+OK\r\n", "CLIENT", "SETINFO", "LIB-NAME", "go-redis")
		w.want("-ERR Unrecognized option 'lib'\r\n", "CLIENT", "SETINFO", "lib", "x")
		w.want("-ERR LIB-VER cannot contain spaces, newlines or special characters.\r\n", "CLIENT", "SETINFO", "LIB-VER", "a b")
		for _, call := range []string{"setresp(3)", "set_repl(redis.REPL_NONE)"} {
			if got := w.do("EVAL", "redis."+call, "0"); !strings.HasPrefix(got, "-ERR the simulated Redis does not support redis.set") {
				t.Errorf("redis.%s answered %q", call, got)
			}
		}
		w.want("-ERR the simulated Redis does not support scripts with flags ('#!lua')\r\n", "EVAL", "#!lua flags=no-writes\nreturn 1", "0")
	})
}

// TestCAD: what Tair says of its command, in scripts and transactions too.
func TestCAD(t *testing.T) {
	x := play(t, Options{}, func(x *player) {
		w := x.primary()
		w.want(":-1\r\n", "CAD", "k", "v")
		w.want("+OK\r\n", "SET", "k", "v")
		w.want(":0\r\n", "CAD", "k", "w")
		w.want("$1\r\nv\r\n", "GET", "k")
		w.want(":1\r\n", "cad", "k", "v")
		w.want("$-1\r\n", "GET", "k")
		w.want(":2\r\n", "LPUSH", "l", "a", "b")
		w.want("-"+errWrongType+"\r\n", "CAD", "l", "a")
		w.want("-ERR wrong number of arguments for 'cad' command\r\n", "CAD", "k")
		w.want("+OK\r\n", "SET", "k", "v")
		w.want(":1\r\n", "EVAL", "return redis.call('cad', KEYS[1], ARGV[1])", "1", "k", "v")
	})
	deleted := 0
	for _, o := range x.seen {
		if o.Kind == model.RecordDeleted && o.Authority != "" {
			deleted++
		}
	}
	if deleted != 2 {
		t.Errorf("%d deletions were seen, want 2", deleted)
	}
}

// TestScriptsShareNothing: scripts run on one interpreter and leave nothing
// behind for each other.
func TestScriptsShareNothing(t *testing.T) {
	play(t, Options{}, func(x *player) {
		w := x.primary()
		for _, attempt := range []string{"x = 1", "_G.x = 1", "redis.x = 1", "string.x = 1", "math.random = nil", "setmetatable(_G, {})", "getmetatable(_G).__index = nil"} {
			if got := w.do("EVAL", attempt, "0"); !strings.HasPrefix(got, "-ERR user_script:1: ") {
				t.Errorf("%s answered %q", attempt, got)
			}
		}
		w.want(":3\r\n", "EVAL", "return #KEYS + #ARGV", "1", "a", "b", "c")
		w.want(":0\r\n", "EVAL", "return #KEYS + #ARGV", "0")
		for range 3 { // the stack is as it was after any kind of end
			w.do("EVAL", "local function f() error('x') end f()", "0")
			w.do("EVAL", "local function f() return f() + 1 end f()", "0")
			w.do("EVAL", "return coroutine.wrap(function() redis.call('foo') end)()", "0")
			w.want(":7\r\n", "EVAL", "return select('#', unpack({1, 2, 3, 4, 5, 6, 7}))", "0")
		}
	})
}

// TestDraws: what is drawn is the same in every run, and there is more to it
// than one value.
func TestDraws(t *testing.T) {
	draw := func() (all string) {
		play(t, Options{}, func(x *player) {
			w := x.primary()
			w.do("SADD", "s", "a", "b", "c", "d", "e", "f")
			w.do("MSET", "k1", "", "k2", "", "k3", "")
			for range 20 {
				all += w.do("SRANDMEMBER", "s") + w.do("RANDOMKEY")
			}
			all += w.do("SPOP", "s") + w.do("SPOP", "s", "3")
		})
		return all
	}
	first := draw()
	if second := draw(); first != second {
		t.Errorf("drew %q, and then %q", first, second)
	}
	x := play(t, Options{}, func(x *player) {
		w := x.primary()
		w.do("SADD", "s", "a", "b")
		w.do("SPOP", "s")
	})
	asked := slices.ContainsFunc(x.report.Choices, func(c sim.Choice) bool { return c.Kind == sim.Seed && c.Actor == "redis1" })
	if !asked {
		t.Error("a node drew from another source than its own")
	}
	if !strings.Contains(first, "a") || !strings.Contains(first, "f") || !strings.Contains(first, "k1") || !strings.Contains(first, "k3") {
		t.Errorf("drew %q", first)
	}
}

// TestSimulationPanics: what goes wrong in the simulation is not taken for an
// error of the script that happened to run.
func TestSimulationPanics(t *testing.T) {
	r := sim.Run(sim.Config{}, func(w *sim.World) {
		c := New(w, Options{}, func(model.Observation) { panic("the observer is to blame") })
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		p.Go(func() {
			conn, err := p.DialContext(background, "tcp", c.Address(), 0)
			if err == nil {
				newWire(t, conn).do("EVAL", "pcall(redis.call, 'set', 'k', 'v') return 1", "0")
			}
		})
	})
	if r.Failure == nil || !strings.Contains(r.Failure.Reason, "the observer is to blame") {
		t.Errorf("the run ended with %v", r.Failure)
	}
}

// TestDelEx: what Redis 8.4 documents of DELEX.
func TestDelEx(t *testing.T) {
	play(t, Options{}, func(x *player) {
		w := x.primary()
		w.want(":0\r\n", "DELEX", "k")
		w.want(":0\r\n", "DELEX", "k", "IFEQ", "v")
		w.want(":0\r\n", "DELEX", "k", "IFNE", "v")
		w.want("+OK\r\n", "SET", "k", "v")
		w.want(":0\r\n", "DELEX", "k", "IFEQ", "w")
		w.want(":0\r\n", "DELEX", "k", "IFNE", "v")
		w.want(":1\r\n", "DELEX", "k", "ifeq", "v")
		w.want("+OK\r\n", "SET", "k", "v")
		w.want(":1\r\n", "EVAL", "return redis.call('delex', KEYS[1], 'IFNE', ARGV[1])", "1", "k", "w")
		w.want("$-1\r\n", "GET", "k")
		w.want(":2\r\n", "LPUSH", "l", "a", "b")
		w.want("-ERR Key should be of string type if conditions are specified\r\n", "DELEX", "l", "IFEQ", "a")
		w.want("-ERR Key should be of string type if conditions are specified\r\n", "DELEX", "l", "IFNE", "a")
		w.want("-ERR Key should be of string type if conditions are specified\r\n", "DELEX", "l", "FOO", "a")
		w.want(":1\r\n", "DELEX", "l")
		for _, words := range [][]string{{"DELEX"}, {"DELEX", "k", "IFEQ"}, {"DELEX", "k", "IFEQ", "v", "w"}} {
			w.want("-ERR wrong number of arguments for 'delex' command\r\n", words...)
		}
		w.want("-ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE\r\n", "DELEX", "k", "IF", "v")
	})
}

// TestDigest: what Redis 8.4 documents of DIGEST and of conditions on digests, with the digest of its example. The others are
// of XXH3's reference implementation.
func TestDigest(t *testing.T) {
	const hello, other = "b6acb9d84a38ff74", "2d06800538d394c2" // of "Hello world", and of ""
	play(t, Options{}, func(x *player) {
		w := x.primary()
		w.want("$-1\r\n", "DIGEST", "k")
		w.want("+OK\r\n", "SET", "k", "")
		w.want("$16\r\n"+other+"\r\n", "DIGEST", "k")
		w.want("+OK\r\n", "SET", "k", "Hello world", "IFDEQ", other)
		w.want("$16\r\n"+hello+"\r\n", "DIGEST", "k")
		w.want("$-1\r\n", "SET", "k", "v", "IFDEQ", other)
		w.want("$-1\r\n", "SET", "k", "v", "IFDNE", hello)
		w.want("$11\r\nHello world\r\n", "GET", "k")
		w.want(":0\r\n", "DELEX", "k", "IFDEQ", other)
		w.want(":0\r\n", "DELEX", "k", "IFDNE", hello)
		w.want(":1\r\n", "DELEX", "k", "ifdeq", hello)
		w.want(":0\r\n", "DELEX", "k", "IFDNE", hello)
		w.want("$-1\r\n", "SET", "k", "v", "IFDEQ", hello) // there is no such key
		w.want("+OK\r\n", "SET", "k", "v", "IFDNE", hello) // which is created
		w.want(":1\r\n", "DELEX", "k", "IFDNE", hello)
		w.want(":1\r\n", "LPUSH", "l", "a")
		w.want("-"+errWrongType+"\r\n", "DIGEST", "l")
		w.want("-"+errSyntax+"\r\n", "SET", "k", "v", "IFDEQ", hello, "NX")
	})
}

// TestDelIfEqual: what Valkey 9 documents of DELIFEQ.
func TestDelIfEqual(t *testing.T) {
	play(t, Options{}, func(x *player) {
		w := x.primary()
		w.want(":0\r\n", "DELIFEQ", "k", "v")
		w.want("+OK\r\n", "SET", "k", "v")
		w.want(":0\r\n", "DELIFEQ", "k", "w")
		w.want("$1\r\nv\r\n", "GET", "k")
		w.want(":1\r\n", "delifeq", "k", "v")
		w.want("$-1\r\n", "GET", "k")
		w.want(":1\r\n", "LPUSH", "l", "a")
		w.want("-"+errWrongType+"\r\n", "DELIFEQ", "l", "a")
		w.want("-ERR wrong number of arguments for 'delifeq' command\r\n", "DELIFEQ", "k")
	})
}

// TestSetIf: what Redis 8.4 documents of SET with IFEQ and IFNE.
func TestSetIf(t *testing.T) {
	play(t, Options{}, func(x *player) {
		w := x.primary()
		w.want("$-1\r\n", "SET", "k", "new", "IFEQ", "v") // there is no such key
		w.want("$-1\r\n", "GET", "k")
		w.want("+OK\r\n", "SET", "k", "v", "IFNE", "w") // which is created
		w.want("$-1\r\n", "SET", "k", "new", "IFEQ", "w")
		w.want("$-1\r\n", "SET", "k", "new", "IFNE", "v")
		w.want("$1\r\nv\r\n", "SET", "k", "new", "IFEQ", "w", "GET")
		w.want("$1\r\nv\r\n", "SET", "k", "new", "GET", "IFEQ", "v", "EX", "5")
		w.want(":5\r\n", "TTL", "k")
		w.want("+OK\r\n", "SET", "k", "newer", "ifeq", "new", "KEEPTTL")
		w.want(":5\r\n", "TTL", "k")
		w.want("+OK\r\n", "SET", "k", "v", "IFNE", "new")
		w.want(":-1\r\n", "PTTL", "k")
		w.want(":1\r\n", "LPUSH", "l", "a")
		w.want("-"+errWrongType+"\r\n", "SET", "l", "new", "IFEQ", "a")
		for _, options := range [][]string{{"IFEQ"}, {"IFEQ", "v", "NX"}, {"XX", "IFNE", "v"}, {"IFEQ", "v", "IFNE", "w"}} {
			w.want("-"+errSyntax+"\r\n", append([]string{"SET", "k", "new"}, options...)...)
		}
	})
}
