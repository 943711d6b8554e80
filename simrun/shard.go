package simrun

import (
	"fmt"
	"os"

	"github.com/lockpick-dev/lockpick/internal/shards"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// askedShard returns the shard of the flag --shard: I/N, or the one that the engine assigns. 1/1 is the whole search.
func askedShard(flag string) (explore.Shard, error) {
	shard, err := shards.Asked(flag, os.LookupEnv)
	if err != nil {
		return shard, fmt.Errorf("--shard=%s: %w", flag, err)
	}
	if shard.Of == 1 {
		return explore.Shard{}, nil
	}
	return shard, nil
}

// shardName returns the name of the shard, empty if there is only one.
func shardName(s explore.Shard) string {
	if s.Of < 2 {
		return ""
	}
	return s.String()
}
