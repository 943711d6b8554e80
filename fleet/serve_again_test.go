package fleet

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// emptied is a block without its findings, and invented one with a finding that nothing has shown.
func emptied(b int) explore.Tally {
	t := blockTally(b, 3)
	clear(t.Violations)
	clear(t.First)
	return t
}

func invented(b int) explore.Tally {
	t := blockTally(b, 3)
	v := model.Violation{Property: "fencing"}
	t.Violations[v], t.First[v] = 1, explore.Found{Schedule: b * explore.BlockSize}
	return t
}

// TestWorkerLies: a worker that empties its findings, or invents some, is caught by the server, which names it; and a server that is started again does
// not forget it. The server of an honest fleet concludes as it does without searching anything again.
func TestWorkerLies(t *testing.T) {
	for name, lie := range map[string]func(int) explore.Tally{"empties": emptied, "invents": invented} {
		t.Run(name, func(t *testing.T) {
			dir, address := t.TempDir(), free(t)
			serve := server(t, dir, address)
			serve.Again = 100
			liar, honest := &fake{blocks: 12, version: "1", tally: lie}, &fake{blocks: 12, version: "1"}
			end := work(t.Context(), t, liar, address, 2)
			err := serve.Run(limited(t), honest)
			var differ command.Nondeterministic
			want := "the worker " + workerName() + " has sent another result of block "
			if !errors.As(err, &differ) || !strings.Contains(err.Error(), want) || honest.concluded != nil {
				t.Fatalf("%v, want %q; concluded %+v", err, want, honest.concluded)
			}
			if err := end(); err != nil {
				t.Error(err)
			}
			serve.Again = 0
			err = serve.Run(limited(t), honest)
			if want = "of the worker " + workerName(); !errors.As(err, &differ) || !strings.Contains(err.Error(), want) || honest.concluded != nil {
				t.Errorf("the next server: %v, want %q", err, want)
			}
		})
	}
}

// TestHonestFleet: the share of pieces that is searched again, one at least, changes nothing of the result.
func TestHonestFleet(t *testing.T) {
	for share, want := range map[float64]int{0: 0, 0.01: 1, 10: 2, 100: 12} {
		dir, address := t.TempDir(), free(t)
		serve := server(t, dir, address)
		serve.Again, serve.Jobs = share, 2
		worker, f := &fake{blocks: 12, version: "1"}, &fake{blocks: 12, version: "1"}
		end := work(t.Context(), t, worker, address, 2)
		if err := errors.Join(serve.Run(limited(t), f), end()); err != nil {
			t.Fatal(err)
		}
		if len(f.searched) != want {
			t.Errorf("%v %%: %d of 12 pieces were searched again, want %d", share, len(f.searched), want)
		}
		checkState(t, f, 12)
	}
}

// TestAgainWithoutProof: a piece that does not come to its end on the server is tried again, and if that is no use the search is not concluded. One whose worker
// says so of its own result is not compared: it makes the result inconclusive.
func TestAgainWithoutProof(t *testing.T) {
	for name, test := range map[string]struct {
		worker, here func(int) explore.Tally
		says         string
	}{
		"of the server": {nil, given, "could not be compared with its worker's result"},
		"of the worker": {given, nil, ""},
	} {
		dir, address := t.TempDir(), free(t)
		serve := server(t, dir, address)
		serve.Again = 100
		f := &fake{blocks: 2, version: "1", tally: test.here}
		end := work(t.Context(), t, &fake{blocks: 2, version: "1", tally: test.worker}, address, 1)
		err := serve.Run(limited(t), f)
		if test.says == "" && (err != nil || len(f.searched) > 0) || test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says) || f.searched[0]+f.searched[1] < 3) {
			t.Errorf("%s: %v, searched %v", name, err, f.searched)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
	}
}

// given is a block of which a run was given up without a proof.
func given(b int) explore.Tally {
	t := blockTally(b, 3)
	t.Troubles = []explore.Trouble{{Kind: explore.Inconclusive, Schedule: b * explore.BlockSize, Reason: "killed"}}
	return t
}

// TestForgedFinding: a finding that the conclusion shows to be none is the worker's, and not the lock's, and its worker and piece are named.
func TestForgedFinding(t *testing.T) {
	dir, address := t.TempDir(), free(t)
	unfounded := &explore.Unfounded{Violation: model.Violation{Property: "fencing"}, Schedule: 5*explore.BlockSize + 3, Why: "why"}
	f := &fake{blocks: 12, version: "1", concludes: unfounded}
	end := work(t.Context(), t, f, address, 1)
	err := server(t, dir, address).Run(limited(t), f)
	var differ command.Nondeterministic
	if want := "the worker " + workerName() + " has sent a finding in block 5 that it cannot have seen"; !errors.As(err, &differ) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestHostileMessages: what someone with the token sends that is no report, and pieces that are none of the search, are refused; the search goes on.
func TestHostileMessages(t *testing.T) {
	dir, address := t.TempDir(), free(t)
	block := make(chan struct{})
	f := &fake{blocks: 4, version: "1", run: func(ctx context.Context, b int) error {
		if b > 0 {
			return nil
		}
		select { // the search is not over before the worker's other slot has met all that is sent
		case <-block:
		case <-ctx.Done():
		}
		return nil
	}}
	result := make(chan error, 1)
	go func() { result <- server(t, dir, address).Run(limited(t), f) }()
	end := work(t.Context(), t, f, address, 2)
	until(func() bool { return asked(address) != nil })
	hostile(t, address, map[string]string{
		"report": `{"kind":"alive","worker":"\u001b[2J"}`, "work.9": `{"First":9,"End":10}`, "work.-1": `{"First":-1,"End":9223372036854775807}`, "work.x": "x",
	})
	says := []string{"want up to 100 letters", "blocks -1 to", "block 9, which are not a piece", "invalid character 'x'"}
	until(func() bool {
		return !slices.ContainsFunc(says, func(s string) bool { return !strings.Contains(f.said(), s) })
	})
	close(block)
	if err := errors.Join(<-result, end()); err != nil {
		t.Fatal(err)
	}
	checkState(t, f, 4)
	for _, want := range says {
		if !strings.Contains(f.said(), want) {
			t.Errorf("%q is not said:\n%s", want, f.said())
		}
	}
	if strings.Contains(f.said(), "\x1b") || len(f.searched) != 4 {
		t.Errorf("searched %v\n%q", f.searched, f.said())
	}
}

// hostile sends messages to the fleet's subjects.
func hostile(t *testing.T, address string, messages map[string]string) {
	t.Helper()
	nc, err := nats.Connect("nats://" + address)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for subject, text := range messages {
		if err := nc.Publish("simrun.fleet."+subject, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := nc.FlushTimeout(10 * time.Second); err != nil {
		t.Fatal(err)
	}
}
