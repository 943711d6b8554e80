package simrun

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/shards"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// mergeCmd joins the states of the shards of one search.
type mergeCmd struct {
	States []string `arg:"" name:"state" help:"The state files of the shards, or directories that contain them."`
	Again  float64  `default:"1" help:"The percentage of the blocks of a run to search again, 0 to 100 and at least one block unless 0, to compare them with the states (default ${default}). Of a check no block is." placeholder:"PERCENT"`
	huntFlags
}

// Validate checks what kong cannot.
func (c *mergeCmd) Validate() error {
	if !(c.Again >= 0 && c.Again <= 100) {
		return fmt.Errorf("--again=%v: want 0 to 100 percent", c.Again)
	}
	return c.validate()
}

// Run joins the states, runs the findings again and prints the result as one machine would.
func (c *mergeCmd) Run(ctx context.Context, a *app) error {
	files, err := stateFiles(c.States)
	if err != nil {
		return usageError{err}
	}
	state, id, shards, err := join(files)
	if err != nil {
		return usageError{err}
	}
	here := id
	here.Versions = a.versions()
	if d := id.difference(&here, "there", "here"); d != "" {
		return usageError{fmt.Errorf("%s cannot be merged here: %s", files[0], d)}
	}
	cell, err := a.registry().Restore(id.Scenario, id.Lock, id.Parameters)
	if err != nil {
		return usageError{fmt.Errorf("%s cannot be merged here: %w", files[0], err)}
	}
	if err := id.check(); err != nil {
		return usageError{fmt.Errorf("%s is damaged: %w", files[0], err)}
	}
	if err := c.compare(ctx, &blocks{app: a, id: id, cell: cell}, state, files); err != nil {
		return err
	}
	h := &session{app: a, huntFlags: c.huntFlags, id: id, cell: cell, known: state, merging: true, shards: shards}
	return forgedIn(h.run(ctx), files...)
}

// compare searches a share of a run's blocks again, chosen at random, and refuses states with other results: anyone who
// changes a state can compute its checksum. Blocks with trouble are left out: an unjudged run may differ.
func (c *mergeCmd) compare(ctx context.Context, search *blocks, state *explore.State, files []string) error {
	var list []int
	for b, t := range state.Blocks { // unordered: the blocks are drawn at random
		if state.Spans[b] == 0 && len(t.Troubles) == 0 {
			list = append(list, b)
		}
	}
	n := int(math.Ceil(float64(len(list)) * c.Again / 100))
	var seed [32]byte
	_, _ = crand.Read(seed[:]) // it never fails
	rand.New(rand.NewChaCha8(seed)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for _, b := range list[:n] {
		same := true
		_, err := search.Range(ctx, explore.Range{First: b, End: b + 1}, func(_ int, t explore.Tally) {
			there := state.Blocks[b]
			same = len(t.Troubles) > 0 || there.Same(&t)
		})
		switch {
		case err != nil:
			return err
		case !same:
			return usageError{fmt.Errorf("%s is not to be believed, and says nothing about the lock: block %d has another result when it is searched again; it is damaged or forged, or of other code: remove it, and search its part again", withBlock(files, b), b)}
		}
	}
	return nil
}

// withBlock returns the file that has a block.
func withBlock(files []string, b int) string {
	for _, file := range files {
		if s, err := explore.ReadState(file); err == nil {
			if _, there := s.Blocks[b]; there {
				return file
			}
		}
	}
	return files[0]
}

// forgedIn names the file of a finding that no run can have shown, with advice. Other errors are returned unchanged.
func forgedIn(err error, files ...string) error {
	var unfounded *explore.Unfounded
	if !errors.As(err, &unfounded) {
		return err
	}
	for _, file := range files {
		if s, readErr := explore.ReadState(file); readErr == nil && s.Claims(unfounded) {
			return usageError{fmt.Errorf("%s is not to be believed, and says nothing about the lock: %w; remove it, and search its part again", file, err)}
		}
	}
	return err
}

// check rejects searches that no command line can ask for.
func (id *identity) check() error {
	if id.Kind == checkKind {
		return (&checkCmd{searchFlags: searchFlags{huntFlags: huntFlags{Jobs: 1}}, Bound: id.Bound, Limit: id.Limit}).Validate()
	}
	if !slices.Contains(explore.StrategyNames(), id.Strategy) {
		return fmt.Errorf("there is no strategy %q", id.Strategy)
	}
	return (&runCmd{searchFlags: searchFlags{huntFlags: huntFlags{Jobs: 1}}, Runs: id.Runs, Strategy: id.Strategy}).Validate()
}

// stateFiles lists the given files, and those in the given directories.
func stateFiles(paths []string) (files []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("there is no file or directory %s: merge joins the states of shards, which run and check --shard write to their --out, in files that end with %s or %s", path, shards.SearchEnd, shards.CheckEnd)
		case err != nil:
			return nil, err
		case !info.IsDir():
			files = append(files, path)
			continue
		}
		before := len(files)
		err = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && shards.IsState(path) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(files) == before {
			return nil, fmt.Errorf("there are no states of searches in %s: run and check write them to files that end with %s or %s", path, shards.SearchEnd, shards.CheckEnd)
		}
	}
	return files, nil
}

// join reads and joins the states. Shards are the shards that the states name.
func join(files []string) (all *explore.State, id identity, shards []string, err error) {
	for _, file := range files {
		s, err := explore.ReadState(file)
		switch {
		case errors.Is(err, explore.ErrNotState):
			return nil, id, nil, fmt.Errorf("%w; remove it, and run its shard again", err)
		case err != nil:
			return nil, id, nil, err
		}
		one, err := readIdentity(s)
		if err != nil {
			return nil, id, nil, fmt.Errorf("%s cannot be merged: %w", file, err)
		}
		if s.Shard != "" {
			shards = append(shards, s.Shard)
		}
		s.Identity = one.encode()
		if all == nil {
			all, id = s, one
			continue
		}
		if d := id.difference(&one, "in "+files[0], "in "+file); d != "" {
			return nil, id, nil, fmt.Errorf("these belong to different searches: %s", d)
		}
		if err := all.Join(s); err != nil {
			return nil, id, nil, fmt.Errorf("%s does not fit the others: %w", file, err)
		}
	}
	all.Shard = ""
	return all, id, shards, nil
}

// absent describes the missing part of a merged search: the shards, if the others show their number, and how much of the
// search it is.
func (h *session) absent(missing []int) string {
	what := "part"
	total := 0
	if h.id.Kind == runKind {
		what, total = "block", explore.Blocks(h.id.Strategy, h.id.Runs)
	}
	text := wording.GroupedCount(len(missing), what) + " of the search"
	if total > 0 {
		text = fmt.Sprintf("%s of %s", wording.Grouped(len(missing)), wording.GroupedCount(total, what))
	}
	of := 0
	for _, s := range h.shards {
		shard, err := askedShard(s)
		if err != nil || of != 0 && shard.Of != of {
			return text
		}
		of = shard.Of
	}
	var names []string
	for i := 1; i <= of; i++ {
		shard := explore.Shard{Index: i, Of: of}
		if !slices.ContainsFunc(missing, shard.Has) {
			continue
		}
		name := "shard " + shard.String()
		if slices.Contains(h.shards, shard.String()) {
			name = "the rest of " + name
		}
		names = append(names, name)
	}
	if len(names) > 0 {
		text = strings.Join(names, ", ") + " (" + text + ")"
	}
	return text
}
