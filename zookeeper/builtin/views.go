package builtin

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
)

// directory is where a lock's znodes are.
const directory = "/" + cell.LockName + "/"

// waiting is a znode of a lock's queue.
type waiting struct {
	key      string
	sequence int64
}

// inQueue are the znodes of the queue, in their order.
func inQueue(records []model.Record) ([]waiting, error) {
	var queue []waiting
	for i := range records {
		key := records[i].Key
		if !strings.HasPrefix(key, directory) {
			continue
		}
		sequence, err := strconv.ParseInt(key[strings.LastIndexByte(key, '-')+1:], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("znode %q does not end with a sequence number", key)
		}
		queue = append(queue, waiting{key, sequence})
	}
	slices.SortStableFunc(queue, func(a, b waiting) int { return cmp.Compare(a.sequence, b.sequence) })
	return queue, nil
}

// readersOrWriter is the view of the recipe for shared locks: the readers before the first
// writer have the lock, or the writer if it is the first.
type readersOrWriter struct{}

// Shares returns the shares of the readers, or of the writer.
func (readersOrWriter) Shares(records []model.Record) (shares []model.Share, err error) {
	queue, err := inQueue(records)
	for i, w := range queue {
		writes := strings.Contains(w.key, "write-")
		if !writes || i == 0 {
			shares = append(shares, model.Share{Key: w.key, Holder: w.key, Count: 1, Write: writes})
		}
		if writes {
			break
		}
	}
	return shares, err
}

// permitsInTurn is the view of the recipe for semaphores: the first znodes have their
// permits, as long as there are enough.
type permitsInTurn struct{ total int64 }

// Shares returns the shares of those that have permits.
func (p permitsInTurn) Shares(records []model.Record) (shares []model.Share, err error) {
	queue, err := inQueue(records)
	left := p.total
	for _, w := range queue {
		_, number, _ := strings.Cut(w.key, "permits-")
		number, _, _ = strings.Cut(number, "-")
		n, wrong := strconv.ParseInt(number, 10, 64)
		if wrong != nil {
			return shares, fmt.Errorf("znode %q names no number of permits", w.key)
		}
		if left -= n; left < 0 {
			break
		}
		shares = append(shares, model.Share{Key: w.key, Holder: w.key, Count: n})
	}
	return shares, err
}
