package main

import (
	"fmt"
	"hash/fnv"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// The ends of the names of state files.
const (
	runState   = ".search.json"
	checkState = ".check.json"
)

// searchName is what the names of a search's files begin with: the scenario, the
// lock, and what of the search is not as usual (see apart). Shards have files of
// their own, too, so that all can share a directory.
func searchName(id *identity, settings []traces.Parameter, shard explore.Shard) string {
	name := id.Scenario + "_" + id.Lock + id.apart(settings)
	if shard.Of > 1 {
		name += fmt.Sprintf("_%dof%d", shard.Index, shard.Of)
	}
	return name
}

// maxApart is how long the part of a name gets that says what is not as usual.
const maxApart = 100

// apart is what of a search is not as usual and makes it run other schedules:
// parameters, strategy and seed. Not how many: of two such searches the one begins
// with what the other runs, and finds the same there.
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
		if id.Seed != defaultSeed {
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

// statePath is where the state of a search goes.
func statePath(dir string, id *identity, settings []traces.Parameter, shard explore.Shard) string {
	end := runState
	if id.Kind == checkKind {
		end = checkState
	}
	return filepath.Join(dir, searchName(id, settings, shard)+end)
}

// fileWord is a violation as a part of a file's name: the property, with _limit
// behind it for a limit, so that the fault of the same property has another file.
func fileWord(v model.Violation) string {
	if v.Limit {
		return v.Property + "_limit"
	}
	return v.Property
}

// tracePath is where the trace of a violation goes, by its fileWord, or of a kind
// of trouble: a run and a check of the same are kept apart.
func tracePath(dir string, id *identity, settings []traces.Parameter, shard explore.Shard, what string) string {
	name := searchName(id, settings, shard) + "_" + what
	if id.Kind == checkKind {
		name += "_check"
	}
	return filepath.Join(dir, name+".json")
}

var shrunkEnd = regexp.MustCompile(`\.shrunk([0-9]{0,6})$`)

// shrunkPath is where a trace goes when it has been shrunk: x.shrunk.json for
// x.json, x.shrunk2.json for that, and so on.
func shrunkPath(trace string) string {
	base := strings.TrimSuffix(trace, filepath.Ext(trace))
	times := shrunkEnd.FindStringSubmatch(base)
	if times == nil {
		return base + ".shrunk.json"
	}
	n, err := strconv.Atoi(times[1])
	if err != nil {
		n = 1 // the first has no number
	}
	return fmt.Sprintf("%s.shrunk%d.json", strings.TrimSuffix(base, times[0]), n+1)
}
