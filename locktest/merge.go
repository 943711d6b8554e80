package locktest

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/shards"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/locktest/internal/testbinary"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// merged is the kept results of a call's shards.
type merged struct {
	of     map[string]*explore.State // by scenario
	shards []string                  // those with results
	files  []string
	// absent are the scenarios with missing results, and the missing blocks or parts.
	absent []absent
}

// absent are the blocks of a scenario that no shard has kept.
type absent struct {
	scenario *cell.Scenario
	blocks   []int
}

// readShards reads and joins the results of this call's shards in a directory.
func (x *session) readShards(dir string) error {
	files, err := x.shareFiles(testbinary.Absolute(dir))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("shards of this test have kept nothing there: want files %s/*%s, which go test -simrun.shard=I/N -simrun.out=DIR writes", testbinary.ShareDir(x.call), x.stateEnd())
	}
	m := &merged{of: map[string]*explore.State{}}
	for _, s := range x.scenarios() {
		m.of[s.ID] = &explore.State{}
	}
	for _, file := range files {
		state, err := explore.ReadState(file)
		if err != nil {
			return fmt.Errorf("%w; remove it, and run its shard again", err)
		}
		if err := x.join(m, file, state); err != nil {
			return err
		}
	}
	m.files = files
	x.merged = m
	return nil
}

// forgedIn returns the shard's file with a finding that no run can have shown; "" if it is not known.
func (x *session) forgedIn(u *explore.Unfounded) string {
	if x.merged == nil {
		return ""
	}
	for _, file := range x.merged.files {
		if s, err := explore.ReadState(file); err == nil && s.Claims(u) {
			return file
		}
	}
	return ""
}

// join adds one shard's results of a scenario.
func (x *session) join(m *merged, file string, state *explore.State) error {
	id, err := readIdentity(state)
	if err != nil {
		return fmt.Errorf("%s cannot be merged: %w", file, err)
	}
	at := slices.IndexFunc(x.scenarios(), func(s *cell.Scenario) bool { return s.ID == id.Scenario })
	if at < 0 {
		return fmt.Errorf("%s is of another search: it is of the scenario %s, which is not searched here", file, id.Scenario)
	}
	s := x.scenarios()[at]
	c, err := x.cell(s)
	if err != nil {
		return err
	}
	here := x.identity(s, c)
	if d := id.difference(&here, "there", "here"); d != "" {
		return fmt.Errorf("%s is of another search: %s", file, d)
	}
	state.Identity = here.encode()
	if !slices.Contains(m.shards, state.Shard) {
		m.shards = append(m.shards, state.Shard)
	}
	all := m.of[s.ID]
	all.Identity = state.Identity
	if err := all.Join(state); err != nil {
		return fmt.Errorf("%s does not fit the others, as if it were of another lock, or its runs did not repeat: %w", file, err)
	}
	return nil
}

// shareFiles lists the files of this call's shards, anywhere below a directory.
func (x *session) shareFiles(dir string) (files []string, err error) {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no directory %s", dir)
		}
		return nil, err
	}
	own := "/" + testbinary.ShareDir(x.call)
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, x.stateEnd()) && strings.HasSuffix("/"+filepath.ToSlash(filepath.Dir(path)), own) {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// incomplete reports whether this is a merge with missing results.
func (x *session) incomplete() bool { return x.merged != nil && len(x.merged.absent) > 0 }

// noteAbsent notes the missing results of a scenario.
func (x *session) noteAbsent(s *cell.Scenario, o *outcome, blocks []int) {
	if len(blocks) == 0 {
		return
	}
	x.merged.absent = append(x.merged.absent, absent{s, blocks})
	if !o.failed {
		o.skip = fmt.Sprintf("%s of %s missing: no shard has kept them", wording.GroupedCount(len(blocks), x.blockNoun()), s.ID)
	}
}

// blockNoun returns the noun for a part of a search.
func (x *session) blockNoun() string {
	if x.bound != nil {
		return "part"
	}
	return "block"
}

// reportAbsent fails the test for missing results, once for all scenarios.
func (x *session) reportAbsent(t *testing.T) {
	t.Helper()
	if !x.incomplete() {
		return
	}
	n, total := 0, 0
	var names []string
	for _, a := range x.merged.absent {
		n += len(a.blocks)
		total += x.blocks(a.scenario)
		names = append(names, a.scenario.ID)
	}
	what := wording.GroupedCount(n, x.blockNoun())
	if x.bound == nil {
		what = fmt.Sprintf("%s of %s", wording.Grouped(n), wording.GroupedCount(total, x.blockNoun()))
	}
	text := fmt.Sprintf("-simrun.merge=%s: %s of %s missing%s. Run what is missing again, and then the merge: only that shows whether the rest has a fault",
		x.part.Merge, what, strings.Join(names, ", "), x.absentShards())
	x.problems = append(x.problems, "lockpick: "+text)
	t.Errorf("lockpick: %s", text)
}

// absentShards names the shards with the missing results, if the other shards show how many there are.
func (x *session) absentShards() string {
	of := 0
	for _, s := range x.merged.shards {
		shard, err := shards.Parse(s)
		if err != nil || of != 0 && shard.Of != of {
			return ""
		}
		of = shard.Of
	}
	if of == 0 {
		return ""
	}
	var names []string
	for i := 1; i <= of; i++ {
		shard := explore.Shard{Index: i, Of: of}
		has := func(a absent) bool {
			return slices.ContainsFunc(a.blocks, func(b int) bool { return x.ownerOf(a.scenario, b, of) == i })
		}
		if !slices.ContainsFunc(x.merged.absent, has) {
			continue
		}
		name := "shard " + shard.String()
		if slices.Contains(x.merged.shards, shard.String()) {
			name = "the rest of " + name
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	return ": " + strings.Join(names, ", ")
}
