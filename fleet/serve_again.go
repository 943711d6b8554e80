package fleet

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/fleet/internal/bucket"
	"github.com/lockpick-dev/lockpick/fleet/internal/pieces"
	"github.com/lockpick-dev/lockpick/internal/command"
)

// searchAgain searches a share of the pieces here, and refuses the whole search if one of them has another result than its
// worker sent. No worker can know these pieces: they are chosen when all results are there, by Go's random source, which
// the system seeds. The output does not depend on the choice unless a worker is caught.
func (s *serving) searchAgain(ctx context.Context) error {
	list, workers := s.track.steady()
	n := int(math.Ceil(float64(len(list)) * s.flags.Again / 100))
	if n == 0 {
		return nil
	}
	s.say("%d of %d pieces are searched again here, to compare", n, len(list))
	chosen := make(chan int, n)
	for _, i := range rand.Perm(len(list))[:n] {
		chosen <- i
	}
	close(chosen)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var slots sync.WaitGroup
	for range min(s.flags.Jobs, n) {
		slots.Go(func() {
			for i := range chosen {
				if ctx.Err() != nil {
					return
				}
				if err := s.compare(ctx, list[i], workers[i]); err != nil {
					stop(err)
				}
			}
		})
	}
	slots.Wait()
	return context.Cause(ctx)
}

// compare searches a piece, and compares the result with the one that its worker sent.
func (s *serving) compare(ctx context.Context, k bucket.Kept, worker string) error {
	r, e, err := s.own(ctx, k)
	if err != nil || e.Hash == k.Hash {
		return err
	}
	// A restarted server sees both results, and does not choose other pieces.
	if err := s.bucket.Write(ctx, r.Range(), e); err != nil {
		s.say("%v", err)
	}
	return command.Nondeterministic{Err: fmt.Errorf("the worker %s has sent another result of %s than this machine has: SHA-256 %s there, %s here: it sends what it has not searched, or the search is not deterministic (see simrun doctor), so none of the search is believed; %s",
		worker, spanText(k.Range), k.Hash, e.Hash, s.distrust())}
}

// distrust describes what to do about a search that is not believed.
func (s *serving) distrust() string {
	return fmt.Sprintf("name another bucket than %s to search anew, without that worker", s.bucket)
}

// own returns the result of a piece by a search here. A run that is given up without a proof, as on a machine without
// memory, proves nothing, and is tried again.
func (s *serving) own(ctx context.Context, k bucket.Kept) (r *pieces.Result, e pieces.Encoded, err error) {
	const tries = 3
	for try := range tries {
		var ran command.Ran
		if r, ran, err = searchPiece(ctx, s.search, s.track.plan, k.Range); err != nil {
			return nil, e, err
		}
		if r.Environment() {
			continue
		}
		made := pieces.Made{Worker: workerName(), Spent: ran.Spent, Tries: try + 1, Ended: time.Now().UTC(), Version: runtime.Version()}
		e, err = pieces.Encode(s.hash, r, made)
		return r, e, err
	}
	return nil, e, errors.New("runs of " + spanText(k.Range) + " did not finish here, so that the piece could not be compared with its worker's result: start the command again where there is more memory, or with --again=0")
}
