package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/fleet/internal/pieces"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestServe: what several workers search is every block, and the state that is concluded has each of them, however the search is
// cut. A second server finds all of it in the bucket, and needs no workers.
func TestServe(t *testing.T) {
	for _, test := range []struct{ blocks, piece int }{{20, 0}, {20, 7}, {pieces.Exact + 100, 128}} {
		t.Run(fmt.Sprint(test), func(t *testing.T) {
			dir, address := t.TempDir(), free(t)
			f := &fake{blocks: test.blocks, version: "1"}
			serve := server(t, dir, address)
			serve.Piece = test.piece
			one, two := work(t.Context(), t, f, address, 2), work(t.Context(), t, f, address, 1)
			if err := serve.Run(limited(t), f); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(one(), two()); err != nil {
				t.Error(err)
			}
			checkState(t, f, test.blocks)
			if len(f.searched) != test.blocks {
				t.Errorf("%d blocks were searched", len(f.searched))
			}
			again := &fake{blocks: test.blocks, version: "1"}
			if err := serve.Run(limited(t), again); err != nil || !strings.Contains(again.said(), "all results are in the bucket") {
				t.Errorf("%v\n%s", err, again.said())
			}
			checkState(t, again, test.blocks)
		})
	}
}

// checkState compares the state that was concluded with what the blocks have.
func checkState(t *testing.T, f *fake, blocks int) {
	t.Helper()
	if f.concluded == nil || f.concluded.Missing {
		t.Fatalf("concluded %+v", f.concluded)
	}
	got, want := f.concluded.State.Tally(), explore.Tally{}
	for b := range blocks {
		one := blockTally(b, 3)
		want.Join(&one)
	}
	n, share := got.Distinct()
	if real := len(want.Classes); share == 0 && n != real || float64(abs(n-real)) > 4*share*float64(real) {
		t.Errorf("%d classes with an error of %v, want %d", n, share, real)
	}
	got.Classes, got.Estimated, want.Classes = nil, nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func abs(n int) int { return max(n, -n) }

// TestDamaged: a result that is cut off is said by name, once, and its blocks are searched anew.
func TestDamaged(t *testing.T) {
	dir, address := t.TempDir(), free(t)
	f := &fake{blocks: 12, version: "1"}
	end := work(t.Context(), t, f, address, 1)
	if err := errors.Join(server(t, dir, address).Run(limited(t), f), end()); err != nil {
		t.Fatal(err)
	}
	_, list := kept(t, dir)
	path := filepath.Join(dir, "bucket", list[3].Name())
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string][]byte{"half": data[:len(data)/2], "empty": nil, "another bit": append(append([]byte{}, data[:len(data)-9]...), append([]byte{data[len(data)-9] ^ 1}, data[len(data)-8:]...)...)} {
		if err := os.WriteFile(path, damage, 0o666); err != nil {
			t.Fatal(err)
		}
		again := &fake{blocks: 12, version: "1"}
		address := free(t)
		end := work(t.Context(), t, again, address, 1)
		if err := errors.Join(server(t, dir, address).Run(limited(t), again), end()); err != nil {
			t.Fatal(name, err)
		}
		if n := strings.Count(again.said(), list[3].Name()); n != 1 || len(again.searched) != 1 || again.searched[3] != 1 {
			t.Errorf("%s: said %d times, searched %v\n%s", name, n, again.searched, again.said())
		}
		checkState(t, again, 12)
	}
}

// TestNondeterministic: two results of one block that differ end the search, with both hashes, whether a worker or the server sees it.
func TestNondeterministic(t *testing.T) {
	dir, address := t.TempDir(), free(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	slow := make(chan struct{})
	late := &fake{blocks: 4, version: "1", tally: func(b int) explore.Tally {
		one := blockTally(b, 3)
		one.Events++
		return one
	}, run: func(ctx context.Context, _ int) error {
		<-slow // longer than its lease
		return nil
	}}
	f := &fake{blocks: 4, version: "1", run: func(_ context.Context, b int) error {
		if b == 3 {
			pause(ctx, 20*time.Second) // the search is not over before the other comes
		}
		return nil
	}}
	result := make(chan error, 1)
	serve := server(t, dir, address)
	go func() { result <- serve.Run(ctx, f) }()
	_ = work(ctx, t, late, address, 1)
	until(func() bool { s := asked(address); return s != nil && s.Out == 1 }) // the late one has a piece
	_ = work(ctx, t, f, address, 2)
	freeze(t, dir) // its lease is renewed, so another result of its block comes from elsewhere
	close(slow)
	select {
	case err := <-result:
		var differ command.Nondeterministic
		if !errors.As(err, &differ) || strings.Count(err.Error(), "SHA-256") != 2 || !strings.Contains(err.Error(), " of the worker another") || !strings.Contains(err.Error(), " of the worker "+workerName()) {
			t.Errorf("%v", err)
		}
		t.Log(err)
	case <-time.After(20 * time.Second):
		t.Fatalf("the search does not end: %s\n%s", f.said(), late.said())
	}
}

// freeze puts an honest result of block 0 into the bucket, as a machine does that has searched it before.
func freeze(t *testing.T, dir string) {
	t.Helper()
	b, _ := kept(t, dir)
	m, err := b.Manifest(t.Context())
	if err != nil || m == nil {
		t.Fatal(m, err)
	}
	for n := range 1 {
		builder := pieces.NewBuilder(m.Plan, m.Plan.Range(n))
		builder.Add(n, blockTally(n, 3))
		r, err := builder.Result(false)
		if err != nil {
			t.Fatal(err)
		}
		e, err := pieces.Encode(m.Search(), r, pieces.Made{Worker: "another"})
		if err == nil {
			err = b.Write(t.Context(), r.Range(), e)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestPoison: a piece that ends its workers is set aside, and told with its last error; the rest is searched.
func TestPoison(t *testing.T) {
	dir, address := t.TempDir(), free(t)
	f := &fake{blocks: 6, version: "1", run: func(_ context.Context, b int) error {
		if b == 2 {
			return errors.New("the worker does not start: exec format error")
		}
		return nil
	}}
	serve := server(t, dir, address)
	serve.Tries = 2
	end := work(t.Context(), t, f, address, 1)
	if err := errors.Join(serve.Run(limited(t), f), end()); err != nil {
		t.Fatalf("%v\n%s", err, f.said())
	}
	if said := f.said(); strings.Count(said, "set aside after 2 tries: block 2: the worker does not start: exec format error") != 1 {
		t.Errorf("said %s", said)
	}
	if f.concluded == nil || !f.concluded.Missing || len(f.concluded.State.Blocks) != 5 {
		t.Errorf("concluded %+v", f.concluded)
	}
	repaired := &fake{blocks: 6, version: "1"}
	address = free(t)
	serve = server(t, dir, address)
	serve.Retry = true
	end = work(t.Context(), t, repaired, address, 1)
	if err := errors.Join(serve.Run(limited(t), repaired), end()); err != nil {
		t.Fatal(err)
	}
	checkState(t, repaired, 6)
	if len(repaired.searched) != 1 {
		t.Errorf("searched %v", repaired.searched)
	}
}

// TestLateWorker: a worker that was away for longer than its lease loses its piece, comes back with the result that is there by then, and
// nothing comes of it.
func TestLateWorker(t *testing.T) {
	dir, address := t.TempDir(), free(t)
	var held, last atomic.Int64
	back, came := make(chan struct{}), make(chan struct{})
	f := &fake{blocks: 12, version: "1", run: func(_ context.Context, b int) error {
		if b == 11 {
			<-came // so that the search is not over before
		}
		return nil
	}}
	lazy := &fake{blocks: 12, version: "1"}
	lazy.run = func(_ context.Context, b int) error {
		if held.Add(1) == 1 {
			last.Store(int64(b))
			<-back
		}
		return nil
	}
	stopBeats = func(w *worker) bool { return w.search.(*fakeSearch).fake == lazy }
	defer func() { stopBeats = nil }()
	one := work(t.Context(), t, lazy, address, 1)
	go func() {
		until(func() bool { return held.Load() > 0 })
		_ = work(t.Context(), t, f, address, 2)
		until(func() bool { return len(glob(t, dir, int(last.Load()))) > 0 })
		close(back)
		until(func() bool { return strings.Contains(lazy.said(), "another worker has searched") })
		close(came)
	}()
	if err := errors.Join(server(t, dir, address).Run(limited(t), f), one()); err != nil {
		t.Fatal(err)
	}
	checkState(t, f, 12)
	if said := lazy.said(); !strings.Contains(said, "another worker has searched block 0 meanwhile, with the same result") {
		t.Errorf("the late worker said %s", said)
	}
}

// until waits until something is so, or for long.
func until(so func() bool) {
	for begin := time.Now(); !so() && time.Since(begin) < time.Minute; {
		time.Sleep(20 * time.Millisecond)
	}
}

// glob are the results of a block in the directory of a bucket.
func glob(t *testing.T, dir string, block int) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "bucket", "pieces", fmt.Sprintf("%010d-*.json.gz", block)))
	if err != nil {
		t.Error(err)
	}
	return list
}

// limited is a context for a search that comes to no end if something is wrong.
func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop)
	return ctx
}

// TestRefused: what does not belong together is refused, by the names of both.
func TestRefused(t *testing.T) {
	dir, address := t.TempDir(), free(t)
	f := &fake{blocks: 4, version: "1"}
	end := work(t.Context(), t, f, address, 1)
	if err := errors.Join(server(t, dir, address).Run(limited(t), f), end()); err != nil {
		t.Fatal(err)
	}
	refusedWith(t, server(t, dir, address).Run(limited(t), &fake{blocks: 8, version: "1"}), "has another search: --runs is 2048 here and 1024 in the bucket "+dir, "name another bucket")
	refusedWith(t, server(t, dir, address).Run(limited(t), &fake{blocks: 4, version: "2"}), "the version is 2 here and 1 in the bucket")
	other := server(t, dir, address)
	other.Piece = 3
	refusedWith(t, other.Run(limited(t), f), "is cut into pieces of 1 blocks")

	lonely := &workCmd{NATS: "nats://" + address, Jobs: 1, accessFlags: accessFlags{Name: "fleet"}}
	refusedWith(t, lonely.Run(limited(t), f), "nobody listens at nats://"+address, "simrun fleet serve")
	open := server(t, dir, "0.0.0.0:0")
	open.Bucket = filepath.Join(dir, "another")
	refusedWith(t, open.Run(limited(t), f), "set a secret for all by --token")
	cloud := server(t, dir, address)
	cloud.Bucket = "gs://bucket"
	refusedWith(t, cloud.Run(limited(t), f), "no buckets of gs://", "fleet/clouds")
}
