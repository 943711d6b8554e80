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
	//go:embed scripts/fair_acquire.lua
	fairAcquireSource string
	//go:embed scripts/fair_release.lua
	fairReleaseSource string
	//go:embed scripts/rw.lua
	rwSource string
	//go:embed scripts/rw_read.lua
	rwReadSource string
	//go:embed scripts/rw_write.lua
	rwWriteSource string
	//go:embed scripts/rw_release.lua
	rwReleaseSource string
	//go:embed scripts/rw_renew.lua
	rwRenewSource string

	reentrantAcquire = redis.NewScript(reentrantAcquireSource)
	reentrantRelease = redis.NewScript(reentrantReleaseSource)
	reentrantRenew   = redis.NewScript(reentrantRenewSource)
	fairAcquire      = redis.NewScript(fairAcquireSource)
	fairRelease      = redis.NewScript(fairReleaseSource)
	rwRead           = redis.NewScript(rwSource + rwReadSource)
	rwWrite          = redis.NewScript(rwSource + rwWriteSource)
	rwRelease        = redis.NewScript(rwSource + rwReleaseSource)
	rwRenew          = redis.NewScript(rwSource + rwRenewSource)
)
