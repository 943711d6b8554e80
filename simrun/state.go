package simrun

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"

	"github.com/alecthomas/kong"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// resume is whether to continue a search: always, never or, with "auto", if a state of it is kept.
type resume string

const (
	resumeNever  resume = "false"
	resumeAlways resume = "true"
	resumeIfKept resume = "auto"
)

// IsBool makes the flag's value optional.
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
	return fmt.Errorf("%q is not a way to resume: want --resume or --resume=%s", value, resumeIfKept)
}

// wanted reports whether to continue the search whose state is kept at a path.
func (r resume) wanted(path string) bool {
	if r == resumeIfKept {
		_, err := os.Stat(path)
		return !errors.Is(err, fs.ErrNotExist)
	}
	return r == resumeAlways
}

// resumed reads the state of a search to continue. A search by a strategy may be continued with another number of
// schedules: a longer one begins with the schedules of a shorter one, and only blocks with other schedules are searched
// again.
func resumed(path string, id *identity, shard explore.Shard) (*explore.State, error) {
	s, err := explore.ReadState(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usageError{fmt.Errorf("nothing to resume: there is no %s", path)}
	case errors.Is(err, explore.ErrNotState):
		return nil, usageError{fmt.Errorf("%w; leave out --resume, or remove the file, to search anew", err)}
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
