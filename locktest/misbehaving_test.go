package locktest_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestMisbehaving: each gets a result of its own, with what to do, and a command
// that shows it again; and the other scenarios run.
func TestMisbehaving(t *testing.T) {
	slowtest.SkipIfShort(t)
	u := newUser(t)
	for _, test := range []struct {
		name  string
		slow  bool
		scens bool // it is searched in every scenario
		says  []string
	}{
		{"panics", false, true, []string{"crashed: ", "panic: user: a panic on purpose", "locks.go:", "decisions, in testdata"}},
		{"panics-aside", true, true, []string{"crashed: ", "the worker died: panic: user: a panic aside", "locks.go:", "decisions, in testdata"}},
		{"never-returns", false, false, []string{"no client has acquired the lock in a calm run", "every context had ended, these had not returned", "locks.NeverReturns"}},
		{"refused", false, false, []string{"refused, no verdict: the lock cannot be tested: the simulated Redis does not support OBJECT: sent by c", ", in release, at locks/locks.go:", "What to do: there is no verdict"}},
		{"leaks", true, true, []string{"crashed: ", "the run left goroutines behind", "locks.Leaks", "mutual-exclusion is violated", "end every goroutine"}},
		{"never-asks", true, false, []string{"no call of the lock has returned in a calm run, in which nothing fails, nor has a client connected to Redis", "every context had ended, these had not returned", "locks.NeverAsks"}},
		{"once", true, false, []string{"crashed: ", "panic: close of closed channel (in another Release of a lease, whose first Release answered: ok; a lease may be released again, see lock.Lease)"}},
		{"exits", true, true, []string{"crashed: ", "the worker died: exit status 3", "ended its process without a stack: look for os.Exit"}},
		{"stops", true, false, []string{"in a calm run, in which nothing fails, the worker stood still for 30s in a run, as a process does that is stopped by SIGSTOP, and was ended"}},
		{"crowds", true, false, []string{"in a calm run, in which nothing fails, the run was given up: its process had ", " goroutines, and may have 30000", "goroutines were at", "locks.Crowds"}},
		{"prints", true, false, []string{"in a calm run, in which nothing fails, the code under test printed more than 64 MB in one run", "got the lock"}},
		{"demands", false, true, []string{"crashed: ", "code of the run failed the test: locks.go:", "release: on purpose", "return errors from the calls of the lock"}},
		{"demands-aside", true, true, []string{"crashed: ", "code of the run failed the test: locks.go:", "no more of this"}},
		{"stalls", true, true, []string{"stalled: ", "a goroutine is blocked in sync.Mutex.Lock", "locks.Stalls", "hold no mutex across I/O"}},
		{"spins", true, true, []string{"inconclusive: ", "code that spins", "locks.Spins", "busy loop"}},
		{"random", true, true, []string{"nondeterministic: ", "is violated: TestMisbehaving/random under gc-pause", "two runs of the same tape differ: event ", "draw random numbers from c.Rand()"}},
		{"real-clock", true, true, []string{"nondeterministic: ", "two runs of the same tape differ: event ", "take the time from c.Clock()"}},
		{"nowhere", false, false, []string{"no client of the lock has connected to Redis in a calm run", "no server is known"}},
		{"nil", false, false, []string{"the lock cannot be tested: a calm run ended before any client had the lock", "its constructor returned nil, which is no lock.Locker"}},
		{"no-lease", true, false, []string{"a calm run ended before any client had the lock", "Acquire has returned neither a lease nor an error"}},
		{"outside", false, false, []string{"the lock uses real networking (dials 127.0.0.1:1)", "real sockets do not reach the simulation"}},
		{"by-name", true, false, []string{"the lock uses real networking (dials ", "real sockets do not reach the simulation"}},
		{"waits-outside", true, true, []string{"inconclusive: ", "waits for I/O outside of the simulation", "locks.WaitsOutside", "do not wait for real I/O"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.slow {
				slowtest.SkipIfShort(t)
			}
			runs := "15"
			if test.name == "random" {
				runs = "60" // it draws other times whenever it runs, and has to be found unlucky
			}
			out, passed := u.test(t, "^TestMisbehaving$/^"+test.name+"$", "-simrun.runs="+runs)
			if passed {
				t.Error("it passed")
			}
			says(t, out, test.says...)
			if !test.scens {
				return
			}
			says(t, out, "FAIL: TestMisbehaving/"+test.name+"/contention", "FAIL: TestMisbehaving/"+test.name+"/gc-pause")
			if n := strings.Count(out, test.says[0]+"TestMisbehaving/"+test.name+" under "); n != 1 {
				t.Errorf("it is told %d times, want once for both scenarios\n%s", n, out)
			}
			tape := tapeLine.FindStringSubmatch(out)
			if tape == nil {
				t.Fatalf("it does not say where the tape is\n%s", out)
			}
			path := tape[1]
			again, passed := u.test(t, "^TestMisbehaving$/^"+test.name+"$", "-simrun.replay="+path)
			if passed {
				t.Errorf("the replay passed\n%s", again)
			}
			says(t, again, "replayed from "+path)
		})
	}
}

// tapeLine says where the tape of a run is that did not come to a verdict.
var tapeLine = regexp.MustCompile(`(?m)^ +tape +\d+ decisions?, in (\S+)$`)

// TestHideNothing: what a lock does to its users is told before what it leaves behind, and before runs that differ, and
// is looked for although that is known.
func TestHideNothing(t *testing.T) {
	slowtest.SkipIfShort(t)
	u := newUser(t)
	for _, test := range []struct{ name, scenario, runs, last string }{
		{"leaks", "contention", "3", "crashed: "},
		{"random", "gc-pause", "60", "nondeterministic: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, kept := range []bool{false, true} {
				if kept {
					removeFindings(t, filepath.Join(u.dir, "testdata", "simrun", "TestMisbehaving", test.name))
				}
				out, passed := u.test(t, "^TestMisbehaving$/^"+test.name+"$/^"+test.scenario+"$", "-simrun.runs="+test.runs)
				finding, last := strings.Index(out, " is violated: "), strings.Index(out, test.last)
				if passed || finding < 0 || last < finding {
					t.Errorf("kept %t: the finding at %d, what hides it not at %d\n%s", kept, finding, last, out)
				}
			}
		})
	}
}

// removeFindings removes the kept cases of violations. There are others.
func removeFindings(t *testing.T, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	left := len(files)
	for _, file := range files {
		trace, readErr := traces.ReadFile(file)
		if err = errors.Join(err, readErr); err == nil && trace.Trouble == nil {
			err, left = os.Remove(file), left-1
		}
	}
	if err != nil || left == 0 {
		t.Fatalf("of the kept cases %q %d are left: %v", files, left, err)
	}
}
