package redislocks

import (
	_ "embed"

	"github.com/redis/go-redis/v9"
)

var (
	//go:embed scripts/compare_and_delete.lua
	compareAndDeleteSource string
	//go:embed scripts/acquire_fenced.lua
	acquireFencedSource string

	compareAndDelete = redis.NewScript(compareAndDeleteSource)
	acquireFenced    = redis.NewScript(acquireFencedSource)
)
