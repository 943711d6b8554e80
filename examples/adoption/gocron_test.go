package main

import (
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

// TestGocronBroken: the job runs twice where the clocks of two instances differ, as gocron's documents say of its Locker.
func TestGocronBroken(t *testing.T) {
	r := locktest.ExploreProgram(t, gocronLibrary.program, locktest.Only("clock-skew"), locktest.Runs(64))
	if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool { return f.Property == slug(runOnce) }) {
		t.Error("no run is made twice")
	}
}

// TestGocronRepaired: a run that is noted in Redis first is made once, also then, wherever Redis does not lose the note.
func TestGocronRepaired(t *testing.T) {
	noted := gocronLibrary.program
	noted.Flawed = false
	noted.Main = func(p *cell.Process) error {
		rdb := redis.Connect(p)
		return scheduleRedis(p, func(due string) {
			if mine, err := rdb.SetNX(p.Context(), "run:"+due, "made", time.Hour).Result(); err == nil && mine {
				p.Effect("run", due)
			}
		})
	}
	locktest.CheckProgram(t, noted, locktest.Runs(32),
		locktest.Only("contention", "clock-skew", "gc-pause", "holder-crash", "server-clock-jump", "lost-reply", "late-request", "hung-node"))
}
