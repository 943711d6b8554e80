package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/fleet/internal/bucket"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// fake is simrun with a search that costs nothing.
type fake struct {
	command.Host // what no command of a fleet asks is nil
	blocks       int
	version      string
	// run, if not nil, is called before a block is searched.
	run func(ctx context.Context, block int) error
	// tally, if not nil, makes a block's tally in place of the usual one.
	tally func(block int) explore.Tally
	// concludes is the error of the conclusion.
	concludes error

	mutex     sync.Mutex
	out, err  bytes.Buffer
	searched  map[int]int // how often each block was
	concluded *command.Conclusion
}

func (f *fake) Program() string { return "simrun" }
func (f *fake) Out() io.Writer  { return &locked{f, &f.out} }
func (f *fake) Err() io.Writer  { return &locked{f, &f.err} }

// said is what was said so far.
func (f *fake) said() string {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.err.String()
}

type locked struct {
	f *fake
	b *bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.f.mutex.Lock()
	defer l.f.mutex.Unlock()
	return l.b.Write(p)
}

func (f *fake) Ask(command.Asked) (command.Search, error) { return &fakeSearch{f}, nil }

func (f *fake) Restore(identity json.RawMessage, other string) (command.Search, error) {
	d, err := (&fakeSearch{f}).Differs(identity, other)
	if d != "" {
		return nil, command.Usagef("%s cannot be searched here: %s", other, d)
	}
	return &fakeSearch{f}, err
}

type fakeSearch struct{ *fake }

func (s *fakeSearch) Identity() json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"version":%q,"blocks":%d}`, s.version, s.blocks))
}

func (s *fakeSearch) Differs(identity json.RawMessage, other string) (string, error) {
	var id struct {
		Version string
		Blocks  int
	}
	if err := json.Unmarshal(identity, &id); err != nil {
		return "", err
	}
	switch {
	case id.Version != s.version:
		return fmt.Sprintf("the version is %s here and %s in %s", s.version, id.Version, other), nil
	case id.Blocks != s.blocks:
		return fmt.Sprintf("--runs is %d here and %d in %s", s.Schedules(), id.Blocks*explore.BlockSize, other), nil
	}
	return "", nil
}

func (s *fakeSearch) Title() string        { return fmt.Sprintf("a search of %d blocks", s.blocks) }
func (s *fakeSearch) Blocks() int          { return s.blocks }
func (s *fakeSearch) Schedules() int       { return s.blocks * explore.BlockSize }
func (s *fakeSearch) Happenings() []string { return []string{"it happened"} }

func (s *fakeSearch) Range(ctx context.Context, r explore.Range, each func(int, explore.Tally)) (command.Ran, error) {
	for b := r.First; b < r.End; b++ {
		if s.run != nil {
			if err := s.run(ctx, b); err != nil {
				return command.Ran{}, err
			}
		}
		s.mutex.Lock()
		if s.searched == nil {
			s.searched = map[int]int{}
		}
		s.searched[b]++
		s.mutex.Unlock()
		if s.fake.tally != nil {
			each(b, s.fake.tally(b))
		} else {
			each(b, blockTally(b, 3))
		}
	}
	return command.Ran{Spent: time.Millisecond}, ctx.Err()
}

func (s *fakeSearch) Conclude(_ context.Context, c command.Conclusion) ([]string, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.concluded = &c
	path := filepath.Join(c.Out, "x.search.json")
	return []string{path}, errors.Join(s.concludes, c.State.Write(path))
}

// blockTally is the tally of a block that has some classes of its own and one that all have, and a violation in every eighth.
func blockTally(block, classes int) explore.Tally {
	t := explore.Tally{
		Schedules: explore.BlockSize, Events: 10, Happened: []int{1}, Classes: explore.Classes{7: {}},
		Violations: map[model.Violation]int{}, First: map[model.Violation]explore.Found{},
	}
	for i := range classes {
		t.Classes[uint64(block+1)*0x9e3779b97f4a7c15+uint64(i)*0xbf58476d1ce4e5b9] = struct{}{}
	}
	if block%8 == 5 {
		v := model.Violation{Property: "mutual-exclusion"}
		t.Violations[v] = 2
		t.First[v] = explore.Found{Schedule: block*explore.BlockSize + 17, Hash: uint64(block)}
	}
	return t
}

// free is an address of this machine where nobody listens. Its port is none that the system gives to clients: one that looks for a server
// which is killed and comes back would be connected with itself.
func free(t *testing.T) string {
	t.Helper()
	for range 100 {
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(10000))); err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("no port from 20000 to 29999 is free")
	return ""
}

// server is a server in a test's directory.
func server(t *testing.T, dir, address string) *serveCmd {
	t.Helper()
	return &serveCmd{
		Bucket: filepath.Join(dir, "bucket"), Listen: address, Store: filepath.Join(dir, "queue"), Out: dir, Jobs: 1,
		Lease: time.Second, Tries: 3, AnyBuild: true, accessFlags: accessFlags{Name: "fleet"},
	}
}

// work starts a worker, and returns a function that waits for its end.
func work(ctx context.Context, t *testing.T, f *fake, address string, jobs int) (end func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		c := &workCmd{NATS: "nats://" + address, Jobs: jobs, Patience: 20 * time.Second, AnyBuild: true, accessFlags: accessFlags{Name: "fleet"}}
		var err error
		for range 800 { // until the server listens
			if err = c.Run(ctx, f); err == nil || !isStarting(err) {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		done <- err
	}()
	return func() error {
		select {
		case err := <-done:
			return err
		case <-time.After(30 * time.Second):
			return fmt.Errorf("the worker does not end; it said %s", f.said())
		}
	}
}

func isStarting(err error) bool {
	return bytes.Contains([]byte(err.Error()), []byte("nobody listens")) || bytes.Contains([]byte(err.Error()), []byte("has no fleet")) || bytes.Contains([]byte(err.Error()), []byte("no JetStream")) || bytes.Contains([]byte(err.Error()), []byte("does not answer"))
}

// kept are the results in the bucket of a test's directory.
func kept(t *testing.T, dir string) (*bucket.Bucket, []bucket.Kept) {
	t.Helper()
	url, err := bucket.URL(filepath.Join(dir, "bucket"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := bucket.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	list, err := b.Results(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return b, list
}
