package locktest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/program/models"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

// reminder sends one mail under a lock. Careful claims the mail by a key before it sends it.
func reminder(careful bool) locktest.Program {
	return locktest.Program{
		Summary: "a key that is set before the mail is sent",
		Stores:  []locktest.Store{redis.Store},
		Rules: []program.Rule{
			program.AtMostOnce("no reminder is sent twice", "mail"),
			program.Sometimes("a process finds that another has sent it"),
		},
		Main: func(p *locktest.Process) error {
			rdb, ctx := redis.Connect(p), p.Context()
			l := p.Watch("reminders", redislocks.NewSetPX(rdb, "reminders", redislocks.Options{TTL: p.TTL(), Clock: p.Clock()}))
			for ctx.Err() == nil {
				lease, err := l.Acquire(ctx)
				if err != nil {
					p.Clock().Sleep(100 * time.Millisecond)
					continue
				}
				done := remind(p, rdb, careful)
				_ = lease.Release(context.WithoutCancel(ctx))
				if done {
					return nil
				}
			}
			return nil
		},
	}
}

func remind(p *locktest.Process, rdb *goredis.Client, careful bool) (done bool) {
	ctx := p.Context()
	if careful {
		claimed, err := rdb.SetNX(ctx, "sent", p.Name(), 0).Result()
		if err == nil && claimed {
			p.Effect("mail", 1)
		}
		p.Sometimes(err == nil && !claimed, "a process finds that another has sent it")
		return err == nil
	}
	sent, err := rdb.Get(ctx, "sent").Result()
	if err != nil && !errors.Is(err, goredis.Nil) {
		return false
	}
	p.Sometimes(sent != "", "a process finds that another has sent it")
	if sent == "" {
		p.Effect("mail", 1)
		return rdb.Set(ctx, "sent", p.Name(), 0).Err() == nil
	}
	return true
}

// TestProgram finds that a mail is sent twice after a pause, says how the lock was lost, and that the
// variant would have helped.
func TestProgram(t *testing.T) {
	p := reminder(false)
	p.Variants = []locktest.Program{reminder(true)}
	r := locktest.ExploreProgram(t, p, locktest.Only("gc-pause"))
	var told []string
	found := false
	for _, f := range r.Findings {
		if f.Property != "no-reminder-is-sent-twice" {
			continue
		}
		found = true
		v := f.Trace.Verdict()
		for _, want := range []string{"The effect mail of 1 happened twice: by p", "after two had the lock", "That is a limit of leases: the holder's process was stopped"} {
			if !strings.Contains(v.Sentence, want) {
				t.Errorf("%q lacks %q", v.Sentence, want)
			}
		}
		if f.Limit {
			t.Error("a broken rule is a limit")
		}
		for _, a := range f.Trace.Attribution.Remedies {
			told = append(told, fmt.Sprintf("%s %t", a.Text, a.Gone))
		}
	}
	if !found {
		t.Error("nobody sends a reminder twice")
	}
	if want := "a key that is set before the mail is sent true"; !testing.Short() && (len(told) == 0 || told[0] != want) {
		t.Errorf("remedies %q, want %q", told, want)
	}
}

// TestCarefulProgram is silent where the store keeps what it has: after pauses and crashes.
func TestCarefulProgram(t *testing.T) {
	slowtest.SkipIfShort(t)
	locktest.CheckProgram(t, reminder(true), locktest.Only("contention", "gc-pause", "holder-crash", "hung-node"))
}

// TestProgramStartsAnew kills processes between the effect and the note of it: only a second life can
// send the mail again.
func TestProgramStartsAnew(t *testing.T) {
	p := reminder(false)
	p.Processes = 1
	p.Rules = p.Rules[:1]
	p.Rules = append(p.Rules, program.Sometimes("a process finds that another has sent it"))
	r := locktest.ExploreProgram(t, p, locktest.Only("holder-crash"), locktest.Runs(600))
	if len(r.Findings) == 0 || !strings.Contains(r.Findings[0].Trace.Verdict().Sentence, "by p1, started for the second time") {
		t.Errorf("findings %v", r.Findings)
	}
}

// poller asks for its turn again and again. One that gives up does not ask after an error.
func poller(givesUp bool) locktest.Program {
	return locktest.Program{
		Stores: []locktest.Store{redis.Store},
		Rules:  []program.Rule{program.Progress("each gets on", 10*time.Second)},
		Main: func(p *locktest.Process) error {
			rdb := redis.Connect(p)
			for p.Context().Err() == nil {
				err := rdb.Incr(p.Context(), "turn").Err()
				if err == nil {
					p.Event("turn")
				} else if givesUp {
					<-p.Context().Done()
				}
				p.Clock().Sleep(p.TTL() / 4)
			}
			return nil
		},
	}
}

// TestProgramProgress finds a process that does not get on after the faults, and blames none that does.
func TestProgramProgress(t *testing.T) {
	slowtest.SkipIfShort(t)
	r := locktest.ExploreProgram(t, poller(true), locktest.Only("node-restart", "hung-node"))
	if len(r.Findings) == 0 || !strings.Contains(r.Findings[0].Trace.Verdict().Sentence, " has not got on for ") {
		t.Errorf("findings %v", r.Findings)
	}
}

// TestProgramGetsOn is about the same process, which does not give up.
func TestProgramGetsOn(t *testing.T) {
	slowtest.SkipIfShort(t)
	locktest.CheckProgram(t, poller(false), locktest.Only("node-restart", "gc-pause", "partition", "hung-node", "holder-crash"), locktest.Runs(100))
}

// TestProgramOnAModel has a counter that loses updates, for a model to find.
func TestProgramOnAModel(t *testing.T) {
	r := locktest.ExploreProgram(t, locktest.Program{
		Stores: []locktest.Store{redis.Store},
		Rules:  []program.Rule{program.Linearizable("the counter counts", "counter", models.Counter(0))},
		Main: func(p *locktest.Process) error {
			rdb := redis.Connect(p)
			_, err := p.Do("counter", models.Add{N: 1}, func() (any, error) {
				n, err := rdb.Get(p.Context(), "n").Int64()
				if err != nil && !errors.Is(err, goredis.Nil) {
					return nil, err
				}
				return n + 1, rdb.Set(p.Context(), "n", n+1, 0).Err()
			})
			return err
		},
	}, locktest.Only("contention"), locktest.Runs(100))
	if len(r.Findings) == 0 || !strings.Contains(r.Findings[0].Trace.Verdict().Sentence, "No order of the operations on counter explains that p") {
		t.Errorf("findings %v", r.Findings)
	}
}

// TestProgramMistakes has what goes wrong in Main: each is told with what to change.
func TestProgramMistakes(t *testing.T) {
	slowtest.SkipIfShort(t)
	main := func(main func(p *locktest.Process) error) locktest.Program {
		return locktest.Program{Stores: []locktest.Store{redis.Store}, Processes: 1, Rules: []program.Rule{program.Always("it holds")}, Main: main}
	}
	for _, test := range []struct {
		name string
		p    locktest.Program
		want string
	}{
		{"no such rule", main(func(p *locktest.Process) error { p.Always(true, "it hold"); return nil }), `the program has no rule "it hold": add program.Always("it hold") to its Rules`},
		{"an error", main(func(p *locktest.Process) error { return errors.New("no luck") }), "p1's Main returned the error: no luck"},
		{"a panic in a goroutine", main(func(p *locktest.Process) error {
			done := make(chan bool)
			go func() { defer close(done); panic("oh") }()
			<-done
			return nil
		}), "oh"},
		{"deaf to its context", main(func(p *locktest.Process) error {
			p.Always(true, "it holds")
			for {
				select {
				case <-p.Clock().After(time.Second):
				case <-ended(p):
					return nil
				}
			}
		}), "p1's Main had not returned 1m"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := locktest.ExploreProgram(t, test.p, locktest.Only("contention"), locktest.Runs(3))
			var got []string
			for _, f := range r.Findings {
				got = append(got, f.Trace.Verdict().Sentence)
			}
			for _, one := range r.Results {
				for _, trouble := range one.Troubles {
					got = append(got, trouble.Reason, trouble.Stack)
				}
			}
			if !strings.Contains(strings.Join(got, "\n"), test.want) {
				t.Errorf("told %q, want %q", got, test.want)
			}
		})
	}
}

// ended is closed when the run is over.
func ended(p *locktest.Process) <-chan struct{} { return p.AsClient().Process().Ended() }

// TestProgramsThatCannotRun are refused before anything runs.
func TestProgramsThatCannotRun(t *testing.T) {
	rules := []program.Rule{program.Always("it holds")}
	main := func(*locktest.Process) error { return nil }
	stores := []locktest.Store{redis.Store}
	for _, test := range []struct {
		p    locktest.Program
		want string
	}{
		{locktest.Program{Stores: stores, Rules: rules}, "the program has no Main"},
		{locktest.Program{Stores: stores, Main: main}, "the program has no rule that a run could break"},
		{locktest.Program{Main: main, Rules: rules}, "the program names no store"},
		{locktest.Program{Stores: append(stores, stores...), Main: main, Rules: rules}, "the store redis is there twice"},
		{locktest.Program{Stores: stores, Main: main, Rules: append(rules, rules...)}, `two rules have one name: "it holds" and "it holds"`},
		{locktest.Program{Stores: stores, Main: main, Rules: rules, Processes: 99}, "the program has 99 processes: want 1 to 16"},
	} {
		if _, err := test.p.Lock(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// TestProgramOptions: options about locks are refused, with what a program has instead.
func TestProgramOptions(t *testing.T) {
	for name, option := range map[string]locktest.Option{ // unordered: each by itself
		"On": locktest.On(redis.Store), "Threads": locktest.Threads(2), "Rounds": locktest.Rounds(3), "LongHolds": locktest.LongHolds(1),
		"Renews": locktest.Renews(), "Ownership": locktest.Ownership(model.HashOwnership{}),
	} {
		want := name + " is an option of locks, and the subject is a program: "
		if err := locktest.ProgramWith(reminder(true), option); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := locktest.ProgramWith(reminder(true), locktest.Clients(3), locktest.TTL(time.Second), locktest.Seed(7)); err != nil {
		t.Error(err)
	}
}

// vacuousMark makes TestVacuousProgramHelper run.
const vacuousMark = "LOCKPICK_TEST_VACUOUS"

// TestVacuousProgramHelper is a user's test whose rule nothing can break, for TestVacuousProgram: its text is never said.
func TestVacuousProgramHelper(t *testing.T) {
	says, given := os.LookupEnv(vacuousMark)
	if !given {
		t.Skip("it is run by another")
	}
	searched := []string{"contention"}
	if os.Getenv(vacuousMark+"_ALL") != "" {
		searched = append(searched, "gc-pause")
	}
	locktest.CheckProgram(t, locktest.Program{
		Stores: []locktest.Store{redis.Store},
		Rules:  []program.Rule{program.Sometimes("it is late"), program.Sometimes("it is early")},
		Main: func(p *locktest.Process) error {
			p.Sometimes(true, "it is early")
			p.Sometimes(says == "", "it is late")
			return nil
		},
	}, locktest.Only(searched...), locktest.Runs(3))
}

// TestVacuousProgram: a condition that never holds fails the test and is named; one that holds does not, and neither does
// one that has not held when the time ends.
func TestVacuousProgram(t *testing.T) {
	slowtest.SkipIfShort(t)
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	short := exec.CommandContext(t.Context(), binary, "-test.run=^TestVacuousProgramHelper$", "-test.v", "-simrun.time=1ms")
	short.Dir, short.Env = t.TempDir(), append(os.Environ(), vacuousMark+"=nothing")
	if out, err := short.CombinedOutput(); err != nil || strings.Contains(string(out), "vacuous: in none") || !strings.Contains(string(out), "of 3 schedules; none found in them") {
		t.Errorf("when the time ends: %v\n%s", err, out)
	}
	// Scenarios that are left out may reach it: those that are searched are vacuous.
	for says, skips := range map[string]bool{"nothing": true, "": false} { // unordered: each for itself
		part := exec.CommandContext(t.Context(), binary, "-test.run=^TestVacuousProgramHelper$/^contention$", "-test.v")
		part.Dir, part.Env = t.TempDir(), append(os.Environ(), vacuousMark+"="+says, vacuousMark+"_ALL=1")
		out, err := part.CombinedOutput()
		if err != nil || strings.Contains(string(out), "--- SKIP: TestVacuousProgramHelper/contention") != skips || strings.Contains(string(out), "vacuous: in none of 3 schedules") != skips {
			t.Errorf("a part of the scenarios, with %q: %v\n%s", says, err, out)
		}
	}
	for says, fails := range map[string]bool{"nothing": true, "": false} { // unordered: each for itself
		cmd := exec.CommandContext(t.Context(), binary, "-test.run=^TestVacuousProgramHelper$", "-test.v")
		cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), vacuousMark+"="+says)
		out, err := cmd.CombinedOutput()
		told := strings.Contains(string(out), `vacuous: in none of 3 schedules it happened that the condition "it is late" held`)
		if (err != nil) != fails || told != fails || strings.Contains(string(out), `"it is early" held: Sometimes with this text: nothing`) {
			t.Errorf("with a condition that never holds %t: %v\n%s", fails, err, out)
		}
	}
}
