package simrun

import (
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strings"

	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/shards"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// searchName returns the common prefix of a search's files: the scenario, the lock, and the settings that are not the
// defaults (see apart). Shards have files of their own, so that all can share a directory.
func searchName(id *identity, settings []traces.Parameter, shard explore.Shard) string {
	name := id.Scenario + "_" + id.Lock + id.apart(settings)
	if shard.Of > 1 {
		name += fmt.Sprintf("_%dof%d", shard.Index, shard.Of)
	}
	return wording.FileName(name)
}

// maxApart is the maximum length of the settings in a name.
const maxApart = 100

// apart returns the settings of a search that select other schedules than the defaults: parameters, strategy and seed. The
// number of schedules is not one of them: a longer search begins with the schedules of a shorter one.
func (id *identity) apart(settings []traces.Parameter) string {
	var words []string
	for _, p := range settings {
		words = append(words, p.Name+"-"+p.Value)
	}
	switch {
	case id.Kind == checkKind && id.Plain:
		words = append(words, "plain")
	case id.Kind == runKind:
		if id.Strategy != explore.PortfolioStrategy {
			words = append(words, id.Strategy)
		}
		if id.Seed != hunt.DefaultSeed {
			words = append(words, fmt.Sprintf("seed-%d", id.Seed))
		}
	}
	if len(words) == 0 {
		return ""
	}
	text := "_" + strings.Join(words, "_")
	if len(text) > maxApart {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(text)) // it takes everything
		text = fmt.Sprintf("%s_%08x", text[:maxApart-9], sum.Sum32())
	}
	return text
}

// statePath returns the path of the search's state.
func statePath(dir string, id *identity, settings []traces.Parameter, shard explore.Shard) string {
	end := shards.SearchEnd
	if id.Kind == checkKind {
		end = shards.CheckEnd
	}
	return filepath.Join(dir, searchName(id, settings, shard)+end)
}

// fileWord returns the part of a file's name for a violation: the property, and _limit for a limit, which has a file of
// its own.
func fileWord(v model.Violation) string {
	if v.Limit {
		return v.Property + "_limit"
	}
	return v.Property
}

// tracePath returns the path of the trace of a violation, by its fileWord, or of a kind of trouble. Traces of a run and of
// a check differ.
func tracePath(dir string, id *identity, settings []traces.Parameter, shard explore.Shard, what string) string {
	name := searchName(id, settings, shard) + "_" + what
	if id.Kind == checkKind {
		name += "_check"
	}
	return filepath.Join(dir, wording.FileName(name)+".json")
}
