package callpath

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/sim/internal/goruntime"
)

// TestUsersLine: the line is of the program's own module; if it has none there, of a lock of the testbed's; else the outermost of a library.
func TestUsersLine(t *testing.T) {
	frame := func(function, file string, line int) runtime.Frame {
		return runtime.Frame{Function: function, File: file, Line: line}
	}
	conn := frame("github.com/lockpick-dev/lockpick/sim.(*Conn).Write", "/x/sim/conn.go", 1)
	flush := frame("bufio.(*Writer).Flush", "/go/bufio/bufio.go", 2)
	client := frame("github.com/redis/go-redis/v9.(*Client).Process", "/m/redis.go", 3)
	redsync := frame("github.com/go-redsync/redsync/v4.(*Mutex).Lock", "/m/mutex.go", 4)
	builtin := frame("github.com/lockpick-dev/lockpick/lock/redislocks.(*SetPX).Acquire", "/x/lock/redislocks/setpx.go", 5)
	wing := frame("github.com/lockpick-dev/lockpick/ystore/ylocks/internal/queue.(*Node).Wait", "/x/ystore/ylocks/internal/queue/n.go", 9)
	plugin := frame("github.com/lockpick-dev/lockpick/ystore.Connect", "/x/ystore/connect.go", 9)
	adapter := frame("main.adapter.Acquire", "/home/a/mylock/main.go", 6)
	outer := frame("main.retry", "/home/a/mylock/retry.go", 7)
	workload := frame("github.com/lockpick-dev/lockpick/cell/internal/workload.Client.Run", "/x/cell/run.go", 8)
	for _, test := range []struct {
		name  string
		lists [][]runtime.Frame
		want  string
	}{
		{"the innermost of one's own", [][]runtime.Frame{{conn, flush, client, redsync, adapter, outer, workload}}, "mylock/main.go:6"},
		{"a library's goroutine, for one's own", [][]runtime.Frame{{conn, flush, client}, {client, adapter, workload}}, "mylock/main.go:6"},
		{"a lock of the testbed's", [][]runtime.Frame{{conn, flush, client, builtin, workload}}, "lock/redislocks/setpx.go:5"},
		{"a lock of one of the testbed's modules", [][]runtime.Frame{{conn, flush, client, wing, workload}}, "ystore/ylocks/internal/queue/n.go:9"},
		{"the store of one of its modules", [][]runtime.Frame{{conn, flush, plugin, workload}}, ""},
		{"the outermost library", [][]runtime.Frame{{conn, flush, client, redsync, workload}}, "github.com/go-redsync/redsync/v4/mutex.go:4"},
		{"nobody's", [][]runtime.Frame{{conn, flush, workload}}, ""},
		{"another goroutine's", [][]runtime.Frame{{conn, flush}, {client, adapter, workload}}, "mylock/main.go:6"},
		{"none", nil, ""},
	} {
		line, stack := UsersLine(test.lists)
		if line != test.want || (stack == "") != (line == "") || strings.Contains(stack, "bufio") || strings.Contains(stack, "workload") {
			t.Errorf("%s: %q, want %q\n%s", test.name, line, test.want, stack)
		}
	}
}

// TestCodeIn: the innermost and the outermost line of one's own, module-relative; a goroutine that a library has started may work for others.
func TestCodeIn(t *testing.T) {
	conn := runtime.Frame{Function: "github.com/lockpick-dev/lockpick/sim.(*Conn).Write", File: "/x/sim/conn.go", Line: 1}
	client := runtime.Frame{Function: "github.com/redis/rueidis.(*pipe).write", File: "/m/redis/rueidis@v1/pipe.go", Line: 2}
	try := runtime.Frame{Function: "github.com/lockpick-dev/lockpick/lock/redislocks_test.try[...]", File: "/src/lock/redislocks/a_test.go", Line: 3}
	adapter := runtime.Frame{Function: "github.com/lockpick-dev/lockpick/lock/redislocks.(*L).Acquire.func1", File: "C:/y/lock/redislocks/b.go", Line: 4}
	goexit := runtime.Frame{Function: "runtime.goexit", File: "/go/asm.s", Line: 5}
	for _, test := range []struct {
		list         []runtime.Frame
		inner, outer string
		hired        bool
	}{
		{[]runtime.Frame{conn, client, try, adapter, conn, goexit}, "lock/redislocks/a_test.go:3", "lock/redislocks/b.go:4", false},
		{[]runtime.Frame{conn, adapter, goexit}, "lock/redislocks/b.go:4", "lock/redislocks/b.go:4", false},
		{[]runtime.Frame{conn, client, goexit}, "github.com/redis/rueidis/pipe.go:2", "github.com/redis/rueidis/pipe.go:2", true},
		{[]runtime.Frame{conn, goexit}, "", "", false},
		{nil, "", "", false},
	} {
		if c := CodeIn(test.list); c.Inner != test.inner || c.Outer != test.outer || c.Hired != test.hired {
			t.Errorf("%v: got %+v", test.list, c)
		}
	}
}

// TestFramesOf: the calls of another goroutine are found by its number.
func TestFramesOf(t *testing.T) {
	number, over := make(chan uint64), make(chan bool)
	go func() {
		number <- goruntime.Number()
		<-over
	}()
	list := AllStacks().FramesOf(strconv.FormatUint(<-number, 10))
	close(over)
	here := Frames(func() []uintptr { room := make([]uintptr, 9); return room[:runtime.Callers(1, room)] }())
	for _, frames := range [][]runtime.Frame{list, here} {
		if len(frames) == 0 {
			t.Fatalf("got %v and %v", list, here)
		}
		found := false
		for _, f := range frames {
			found = found || strings.Contains(f.Function, "callpath.TestFramesOf") && strings.HasSuffix(f.File, "user_test.go") && f.Line > 0
		}
		if !found {
			t.Errorf("got %v", frames)
		}
	}
	if got := AllStacks().FramesOf("0"); got != nil {
		t.Errorf("no goroutine has %v", got)
	}
}
