package scenarios_test

import (
	"context"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/sim"
)

// What the stages of BenchmarkStages cost alone.

// bestClient is go-redis sending the clients' commands to a connection that
// has the recorded answers ready: no other goroutine, no waiting.
func bestClient(tb testing.TB, r *failover) float64 {
	answers := r.answered()
	var lists [][][]any
	for i := range r.cell.Params.Clients {
		var list [][]any
		for _, segment := range r.requests(r.cell.Actors()[i].Name) {
			for _, command := range words(segment) {
				if name := command[0]; name != "hello" && name != "client" { // those it sends by itself
					list = append(list, anys(command))
				}
			}
		}
		lists = append(lists, list)
	}
	return often(func() {
		for _, list := range lists {
			client := redis.NewClient(&redis.Options{Addr: "10.0.1.1:6379", PoolSize: 10, Protocol: 2, Dialer: func(context.Context, string, string) (net.Conn, error) {
				return &ready{answers: answers}, nil
			}})
			drive(tb, client, list)
			_ = client.Close()
		}
	})
}

func anys(command []string) (list []any) {
	for _, word := range command {
		list = append(list, word)
	}
	return list
}

// ready is a connection that answers at once.
type ready struct {
	net.Conn
	answers map[string][]byte
	left    []byte
}

func (c *ready) Write(b []byte) (int, error) {
	answer := c.answers[string(b)]
	if answer == nil {
		answer = []byte("+OK\r\n")
	}
	c.left = append(c.left, answer...)
	return len(b), nil
}

func (c *ready) Read(b []byte) (int, error) {
	if len(c.left) == 0 {
		return 0, os.ErrDeadlineExceeded
	}
	n := copy(b, c.left)
	c.left = c.left[n:]
	return n, nil
}

func (*ready) Close() error                     { return nil }
func (*ready) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (*ready) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (*ready) SetDeadline(time.Time) error      { return nil }
func (*ready) SetReadDeadline(time.Time) error  { return nil }
func (*ready) SetWriteDeadline(time.Time) error { return nil }

// bestWire is parsing all requests and copying all answers.
func bestWire(_ testing.TB, r *failover) float64 {
	requests, answers := r.requests(""), r.answers("")
	return often(func() {
		for _, segment := range requests {
			words(slices.Clone(segment))
		}
		for _, segment := range answers {
			_ = slices.Clone(segment)
		}
	})
}

// bestEngine is executing the commands, and those that scripts call, on a map:
// without expiry, observations or replicas.
func bestEngine(tb testing.TB, r *failover) float64 {
	var list [][]string
	scripts := newScripts()
	defer scripts.state.Close()
	scripts.call = func(command []string) { list = append(list, command) }
	for _, segment := range r.requests("") {
		for _, command := range words(segment) {
			if strings.HasPrefix(strings.ToLower(command[0]), "eval") {
				scripts.run(tb, command)
			} else {
				list = append(list, command)
			}
		}
	}
	return often(func() {
		keys := map[string]string{}
		for _, command := range list {
			execute(keys, command)
		}
	})
}

func execute(keys map[string]string, command []string) string {
	switch strings.ToLower(command[0]) {
	case "set":
		_, taken := keys[command[1]]
		if taken && slices.ContainsFunc(command[3:], func(s string) bool { return strings.EqualFold(s, "nx") }) {
			return "$-1\r\n"
		}
		keys[command[1]] = command[2]
	case "get":
		return "$" + strconv.Itoa(len(keys[command[1]])) + "\r\n" + keys[command[1]] + "\r\n"
	case "del":
		delete(keys, command[1])
		return ":1\r\n"
	case "incr":
		n, _ := strconv.Atoi(keys[command[1]]) // nothing else is there
		keys[command[1]] = strconv.Itoa(n + 1)
		return ":" + keys[command[1]] + "\r\n"
	}
	return "+OK\r\n"
}

// bestLua is running the scripts in one Lua state, compiled once, with a
// redis.call that has its answers ready.
func bestLua(tb testing.TB, r *failover) float64 {
	scripts := newScripts()
	defer scripts.state.Close()
	var list [][]string
	for _, segment := range r.requests("") {
		for _, command := range words(segment) {
			if strings.HasPrefix(strings.ToLower(command[0]), "eval") && scripts.run(tb, command) {
				list = append(list, command)
			}
		}
	}
	if len(list) == 0 {
		return 0
	}
	return often(func() {
		for _, command := range list {
			scripts.run(tb, command)
		}
	})
}

// scripts runs what EVAL and EVALSHA ask for.
type scripts struct {
	state *lua.LState
	known map[string]*lua.FunctionProto // by text, and by hash
	token string
	call  func(command []string)
}

func newScripts() *scripts {
	s := &scripts{state: lua.NewState(), known: map[string]*lua.FunctionProto{}}
	s.state.SetGlobal("redis", s.state.SetFuncs(s.state.NewTable(), map[string]lua.LGFunction{"call": s.answer}))
	return s
}

// answer is redis.call: the key has the token that is asked for.
func (s *scripts) answer(l *lua.LState) int {
	if s.call != nil {
		var command []string
		for i := range l.GetTop() {
			command = append(command, l.Get(i+1).String())
		}
		s.call(command)
	}
	if l.Get(1).String() == "GET" {
		l.Push(lua.LString(s.token))
	} else {
		l.Push(lua.LNumber(1))
	}
	return 1
}

// run reports whether the script is known.
func (s *scripts) run(tb testing.TB, command []string) bool {
	code := s.known[command[1]]
	if code == nil && strings.EqualFold(command[0], "eval") {
		tree, err := parse.Parse(strings.NewReader(command[1]), "script")
		if err != nil {
			tb.Fatal(err)
		}
		if code, err = lua.Compile(tree, "script"); err != nil {
			tb.Fatal(err)
		}
		s.known[command[1]], s.known[redis.NewScript(command[1]).Hash()] = code, code
	}
	if code == nil {
		return false
	}
	l, keys := s.state, int(command[2][0]-'0')
	table := func(name string, items []string) {
		t := l.CreateTable(len(items), 0)
		for _, item := range items {
			t.Append(lua.LString(item))
		}
		l.SetGlobal(name, t)
	}
	table("KEYS", command[3:3+keys])
	table("ARGV", command[3+keys:])
	s.token = command[3+keys]
	l.Push(l.NewFunctionFromProto(code))
	l.Call(0, 1)
	l.Pop(1)
	return true
}

// bestConductor is what as many events cost in a world in which nothing else
// is, less the bare bubble in which as many instants pass.
func bestConductor(tb testing.TB, r *failover) float64 {
	n := len(r.Events)
	world := func(events int) float64 {
		return often(func() {
			report := sim.Run(sim.Config{}, func(w *sim.World) { chain(w, w.NewActor("a"), events) })
			if report.Failure != nil || report.EventCount != int64(events) {
				tb.Errorf("%d events, %v", report.EventCount, report.Failure)
			}
		})
	}
	bubble := func(instants int) float64 { return often(func() { bareBubble(make([]bool, instants)) }) }
	return max(0, world(n)-world(0)-bubble(n)+bubble(0))
}

// chain schedules so many events of the actor, one by the other.
func chain(w *sim.World, a *sim.Actor, events int) {
	if events > 0 {
		w.At(a, w.Now()+20*time.Microsecond, sim.EventWork, sim.EventOptions{Vital: true}, func() {
			w.Log(sim.Event{Kind: sim.EventWork, Actor: a.Name()})
			chain(w, a, events-1)
		})
	}
}

// bestSwitching is a bare bubble in which as many instants pass. Events of
// clients wake a goroutine, which goes back to rest.
func bestSwitching(_ testing.TB, r *failover) float64 {
	wakes := make([]bool, len(r.Events))
	for i, e := range r.Events {
		wakes[i] = strings.HasPrefix(e.Actor, "c")
	}
	return often(func() { bareBubble(wakes) })
}

// bareBubble lets time pass, and waits until all is at rest, as often as there
// are wakes.
func bareBubble(wakes []bool) {
	synctest.Test(new(testing.T), func(*testing.T) {
		wake, over := make(chan struct{}, 1), make(chan struct{})
		go func() {
			defer close(over)
			for range wake { // and rest again
			}
		}()
		for _, w := range wakes {
			time.Sleep(20 * time.Microsecond)
			if w {
				wake <- struct{}{}
			}
			synctest.Wait()
		}
		close(wake)
		<-over
	})
}

// bestChecker is the judging alone.
func bestChecker(_ testing.TB, r *failover) float64 {
	return often(func() {
		checker.Check(&r.History, checker.Options{ProgressBound: time.Minute})
	})
}
