package redislocks

import (
	_ "embed"

	"github.com/redis/go-redis/v9"
)

var (
	//go:embed scripts/reentrant_acquire.lua
	reentrantAcquireSource string
	//go:embed scripts/reentrant_release.lua
	reentrantReleaseSource string
	//go:embed scripts/reentrant_renew.lua
	reentrantRenewSource string

	reentrantAcquire = redis.NewScript(reentrantAcquireSource)
	reentrantRelease = redis.NewScript(reentrantReleaseSource)
	reentrantRenew   = redis.NewScript(reentrantRenewSource)
)
