package shards

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// FromEngine is the value of a flag that takes the shard from the engine.
const FromEngine = "auto"

// Environment looks a variable up, as os.LookupEnv does.
type Environment func(name string) (value string, set bool)

// Asked returns the shard of a flag: I/N, or the one that the engine names. It is the zero Shard if the flag is empty.
func Asked(flag string, env Environment) (explore.Shard, error) {
	switch flag {
	case "":
		return explore.Shard{}, nil
	case FromEngine:
		return fromEngine(env)
	}
	return Parse(flag)
}

// Parse reads I/N.
func Parse(s string) (explore.Shard, error) {
	index, of, ok := strings.Cut(s, "/")
	i, errI := strconv.Atoi(index)
	n, errN := strconv.Atoi(of)
	if !ok || errI != nil || errN != nil || i < 1 || i > n {
		return explore.Shard{}, fmt.Errorf("want I/N with I from 1 to N, such as 2/3, or %s", FromEngine)
	}
	return explore.Shard{Index: i, Of: n}, nil
}
