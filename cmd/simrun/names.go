package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// The ends of the names of state files.
const (
	runState   = ".search.json"
	checkState = ".check.json"
)

// searchName is what the names of a search's files begin with. Shards have files
// of their own, so that they can share a directory.
func searchName(id *identity, shard explore.Shard) string {
	name := id.Scenario + "_" + id.Lock
	if shard.Of > 1 {
		name += fmt.Sprintf("_%dof%d", shard.Index, shard.Of)
	}
	return name
}

// statePath is where the state of a search goes.
func statePath(dir string, id *identity, shard explore.Shard) string {
	end := runState
	if id.Kind == checkKind {
		end = checkState
	}
	return filepath.Join(dir, searchName(id, shard)+end)
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
func tracePath(dir string, id *identity, shard explore.Shard, what string) string {
	name := searchName(id, shard) + "_" + what
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
