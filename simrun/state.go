package simrun

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// resume says whether to continue a search: always, never, or, with "auto", if anything of it is kept.
type resume string

const (
	resumeNever  resume = "false"
	resumeAlways resume = "true"
	resumeIfKept resume = "auto"
)

// IsBool has the flag stand alone.
func (*resume) IsBool() bool { return true }

// Decode reads the flag's value, if it has one.
func (r *resume) Decode(ctx *kong.DecodeContext) error {
	*r = resumeAlways
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	value := fmt.Sprint(ctx.Scan.Pop().Value)
	switch *r = resume(value); *r {
	case resumeNever, resumeAlways, resumeIfKept:
		return nil
	}
	return fmt.Errorf("%q is no way to resume: want --resume or --resume=%s", value, resumeIfKept)
}

// wanted reports whether the search that is kept at a path is to be continued.
func (r resume) wanted(path string) bool {
	if r == resumeIfKept {
		_, err := os.Stat(path)
		return !errors.Is(err, fs.ErrNotExist)
	}
	return r == resumeAlways
}

// resumed reads the state of a search to continue. A search by a strategy may be continued with
// another number of schedules: a longer one begins with the schedules of a shorter one, and
// only blocks that have others are searched again.
func resumed(path string, id *identity, shard explore.Shard) (*explore.State, error) {
	s, err := explore.ReadState(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usageError{fmt.Errorf("nothing to resume: there is no %s", path)}
	case err != nil:
		return nil, usageError{err}
	}
	old, err := readIdentity(s)
	if err != nil {
		return nil, usageError{fmt.Errorf("%s cannot be resumed: %w", path, err)}
	}
	if old.Kind == runKind && id.Kind == runKind && old.Runs != id.Runs {
		maps.DeleteFunc(s.Blocks, func(b int, _ explore.Tally) bool {
			return !explore.SameBlock(id.Strategy, b+max(s.Spans[b], 1)-1, old.Runs, id.Runs)
		})
		maps.DeleteFunc(s.Spans, func(b, _ int) bool { _, kept := s.Blocks[b]; return !kept })
		old.Runs = id.Runs
	}
	if d := old.difference(id, "there", "here"); d != "" {
		return nil, usageError{fmt.Errorf("%s belongs to another search: %s", path, d)}
	}
	if s.Shard != shardName(shard) {
		return nil, usageError{fmt.Errorf("%s belongs to another shard: %q there, %q here", path, s.Shard, shardName(shard))}
	}
	return s, nil
}

// shardName is the name of the shard, empty if there is only one.
func shardName(s explore.Shard) string {
	if s.Of < 2 {
		return ""
	}
	return s.String()
}

// stateFile writes the state of a search to disk: about once a second, less often if that
// takes long, and at the end.
type stateFile struct {
	path    string
	state   explore.State
	at      map[[2]int]int // where in the state a part is, by its bound and number
	written time.Time
	pause   time.Duration // between two times
	spans   map[int]int   // of blocks that stand for several
}

// newStateFile begins with what is known, or, of a search whose parts are joined, without.
func newStateFile(path string, id *identity, shard explore.Shard, known *explore.State, joined bool) *stateFile {
	k := &stateFile{path: path, at: map[[2]int]int{}, written: time.Now(), pause: time.Second}
	k.state = explore.State{Identity: id.encode(), Shard: shardName(shard), Blocks: map[int]explore.Tally{}}
	if known != nil {
		k.spans = known.Spans
	}
	if known != nil && !joined {
		k.state.Spans = known.Spans
		for b, t := range known.Blocks { // unordered: into a map
			k.state.Blocks[b] = t
		}
		for _, p := range known.Parts {
			k.add(p)
		}
	}
	return k
}

func (k *stateFile) block(number int, t explore.Tally) {
	k.state.Blocks[number] = t
	if n := k.spans[number]; n > 1 {
		if k.state.Spans == nil {
			k.state.Spans = map[int]int{}
		}
		k.state.Spans[number] = n
	}
	k.write()
}

func (k *stateFile) part(p explore.CheckPart) {
	k.add(p)
	k.write()
}

func (k *stateFile) add(p explore.CheckPart) {
	key := [2]int{p.Bound, p.Part}
	i, there := k.at[key]
	if !there {
		i = len(k.state.Parts)
		k.at[key] = i
		k.state.Parts = append(k.state.Parts, p)
	}
	k.state.Parts[i] = p
}

// write writes the state, unless it has just been written. Errors are reported at the end.
func (k *stateFile) write() {
	if time.Since(k.written) >= k.pause {
		_ = k.flush()
	}
}

func (k *stateFile) flush() error {
	start := time.Now()
	state := k.state
	state.Parts = slices.SortedFunc(slices.Values(k.state.Parts), func(a, b explore.CheckPart) int {
		return cmp.Or(cmp.Compare(a.Bound, b.Bound), cmp.Compare(a.Part, b.Part))
	})
	err := state.Write(k.path)
	k.written = time.Now()
	k.pause = max(time.Second, 20*k.written.Sub(start))
	return err
}
