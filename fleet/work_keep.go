package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/fleet/internal/bucket"
	"github.com/lockpick-dev/lockpick/fleet/internal/message"
	"github.com/lockpick-dev/lockpick/fleet/internal/pieces"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// there returns the results of a range in the bucket. It reports and removes damaged ones.
func (w *worker) there(ctx context.Context, r explore.Range) (list []*pieces.Result, err error) {
	kept, err := w.bucket.Of(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, k := range kept {
		got, _, err := w.bucket.Read(ctx, w.hash, k)
		var damaged *bucket.Damaged
		switch {
		case errors.As(err, &damaged):
			w.once("%v; it is removed, and the blocks are searched anew", err)
			if err := w.bucket.Remove(ctx, k); err != nil {
				return nil, err
			}
		case err != nil:
			return nil, err
		default:
			list = append(list, got)
		}
	}
	return list, nil
}

// keep writes a result, and returns whether it is new, the same as an existing one, or another than that. While the bucket
// cannot be written it waits: a full disk does not lose the result.
func (w *worker) keep(ctx context.Context, r *pieces.Result, e pieces.Encoded) (kind string, err error) {
	delay, since := time.Second, time.Now()
	for {
		if kind, err = w.write(ctx, r, e); err == nil || ctx.Err() != nil {
			return kind, err
		}
		if time.Since(since) > w.flags.Patience {
			return "", err
		}
		w.once("%v; the result is kept here, and writing is tried again for %v", err, w.flags.Patience)
		pause(ctx, delay)
		delay = min(2*delay, time.Minute)
	}
}

func (w *worker) write(ctx context.Context, r *pieces.Result, e pieces.Encoded) (kind string, err error) {
	kept, err := w.bucket.Of(ctx, r.Range())
	if err != nil {
		return "", err
	}
	kind = message.Kept
	all := []*pieces.Result{r}
	for _, k := range kept {
		if k.Hash == e.Hash {
			return message.Double, nil
		}
		other, _, err := w.bucket.Read(ctx, w.hash, k)
		var damaged *bucket.Damaged
		switch {
		case errors.As(err, &damaged): // reading everything reports it
		case err != nil:
			return "", err
		default:
			if all = append(all, other); differs(all) {
				w.say("%s came out otherwise than before: SHA-256 %s here, %s in the bucket: the search is not deterministic", spanText(r.Range()), e.Hash, k.Hash)
				kind = message.Differs
			}
		}
	}
	if err := w.bucket.Write(ctx, r.Range(), e); err != nil {
		return "", err
	}
	return kind, nil
}

func differs(all []*pieces.Result) bool {
	_, other := bucket.Choose(all)
	return other >= 0
}

// spanText returns a range for people.
func spanText(r explore.Range) string {
	if r.End == r.First+1 {
		return fmt.Sprintf("block %d", r.First)
	}
	return fmt.Sprintf("blocks %d to %d", r.First, r.End-1)
}
