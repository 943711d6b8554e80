package hunt

import (
	"cmp"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// StateFile keeps the state of a search in a file. It writes about once a second, less often if writing takes long, and on
// Flush. Its methods Block and Part are for [Hunt].OnBlock and OnPart.
type StateFile struct {
	// State is the state that is written. The caller sets its Identity, Shard and Said.
	State explore.State

	path    string
	at      map[[2]int]int // the index of a part in the state, by its bound and number
	written time.Time
	pause   time.Duration // minimum time between two writes
	spans   map[int]int   // of blocks that represent several
}

// NewStateFile returns the StateFile of a search that begins with the given state. Its spans may belong to blocks that
// have not finished. It writes nothing yet.
func NewStateFile(path string, state explore.State) *StateFile {
	k := &StateFile{State: state, path: path, at: map[[2]int]int{}, written: time.Now(), pause: time.Second}
	k.State.Blocks, k.State.Parts, k.State.Spans, k.spans = map[int]explore.Tally{}, nil, nil, state.Spans
	for b, t := range state.Blocks { // unordered: into a map
		k.block(b, t)
	}
	for _, p := range state.Parts {
		k.add(p)
	}
	return k
}

// Block keeps a finished block of a search by a strategy.
func (k *StateFile) Block(number int, t explore.Tally) {
	k.block(number, t)
	k.write()
}

func (k *StateFile) block(number int, t explore.Tally) {
	k.State.Blocks[number] = t
	if n := k.spans[number]; n > 1 {
		if k.State.Spans == nil {
			k.State.Spans = map[int]int{}
		}
		k.State.Spans[number] = n
	}
}

// Part keeps a finished part of an exhaustive search.
func (k *StateFile) Part(p explore.CheckPart) {
	k.add(p)
	k.write()
}

func (k *StateFile) add(p explore.CheckPart) {
	key := [2]int{p.Bound, p.Part}
	i, there := k.at[key]
	if !there {
		i = len(k.State.Parts)
		k.at[key] = i
		k.State.Parts = append(k.State.Parts, p)
	}
	k.State.Parts[i] = p
}

// write writes the state, unless it was written just before. Flush, at the end, returns the error.
func (k *StateFile) write() {
	if time.Since(k.written) >= k.pause {
		_ = k.Flush()
	}
}

// Flush writes the state now.
func (k *StateFile) Flush() error {
	start := time.Now()
	state := k.State
	state.Parts = slices.SortedFunc(slices.Values(k.State.Parts), func(a, b explore.CheckPart) int {
		return cmp.Or(cmp.Compare(a.Bound, b.Bound), cmp.Compare(a.Part, b.Part))
	})
	err := state.Write(k.path)
	k.written = time.Now()
	k.pause = max(time.Second, 20*k.written.Sub(start))
	return err
}
