package testbinary

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/shards"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Part is the value of the flags -simrun.shard and -simrun.merge.
type Part struct {
	// Shard is the part of each search to run, the zero Shard for all.
	Shard explore.Shard
	// Merge is the directory with the shards to judge, as given, empty for none.
	Merge string
	// ExitZero is set if a shard's findings do not fail the test.
	ExitZero bool
}

// AskedPart returns the part that the flags ask for. The error names flags that cannot be combined.
func AskedPart() (p Part, err error) {
	if os.Getenv(WorkerVariable) != "" {
		return p, nil // a worker runs its requests, and does not have all of the flags
	}
	var which string
	which, p.ExitZero = strings.CutSuffix(*shard, ",exit-zero")
	if p.Shard, err = shards.Asked(which, os.LookupEnv); err != nil {
		return p, fmt.Errorf("%s: %w", set("shard", *shard), err)
	}
	if p.Merge = *merge; p.ExitZero && p.Shard.Of == 0 {
		return p, fmt.Errorf("%s: exit-zero is for a shard: want I/N,exit-zero", set("shard", *shard))
	}
	switch {
	case p.Shard.Of > 0 && p.Merge != "":
		return p, fmt.Errorf("%s, %s: a shard searches its part, and a merge judges all parts: leave one of them out", set("shard", *shard), set("merge", *merge))
	case p.Shard.Of > 0 && Out() == "":
		return p, fmt.Errorf("%s: name the directory where the shard keeps its part, such as -simrun.out=simrun-out", set("shard", *shard))
	case p.Shard.Of > 0 && *report != "":
		return p, fmt.Errorf("%s, %s: a shard does not know what the others have found: -simrun.merge writes the report", set("shard", *shard), set("report", *report))
	case p.Shard.Of > 0 && mayBeCached():
		return p, fmt.Errorf("%s: go test may take the result of this test from its cache next time, and then nothing is searched or kept: add -count=1", set("shard", *shard))
	case p.Merge != "" && mayBeCached():
		return p, fmt.Errorf("%s: go test may take the result of this test from its cache next time, though the shards have kept more by then: add -count=1", set("merge", *merge))
	}
	return p, nil
}

// mayBeCached reports whether go test may keep the result of this process in its cache: then it asks for a log of the
// files and variables that the tests read. It does not with flags such as -simrun.shard, or with -count.
func mayBeCached() bool { return flagValue("test.testlogfile") != "" }

// noted reads the variables of all flags once more while tests run. go test records the reads from then on, and so takes
// no cached result with other values.
func noted() {
	for _, variable := range variables {
		_ = os.Getenv(variable)
	}
}

// SharePath returns the absolute path of the state that a shard of a call keeps of a scenario, in the directory of
// -simrun.out. End is the end of its name.
func SharePath(call traces.Test, scenario string, s explore.Shard, end string) string {
	name := fmt.Sprintf("%s_%dof%d%s", scenario, s.Index, s.Of, end)
	return filepath.Join(Absolute(Out()), filepath.FromSlash(ShareDir(call)), name)
}

// ShareDir returns the directory of a call's shards, below that of -simrun.out: a path with slashes, of the package and
// the test. So packages may share a directory.
func ShareDir(call traces.Test) string { return path.Join(call.Package, dirOf(call)) }
