package payments_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/examples/payments"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

// pay is two workers that pay one order, under a lock in Redis.
func pay(keyed bool) locktest.Program {
	const order = "o-17"
	return locktest.Program{
		Stores: []locktest.Store{redis.Store, payments.Store},
		Rules:  []program.Rule{program.Sometimes("the order is paid")},
		Main: func(p *locktest.Process) error {
			w := payments.Worker{
				Client: payments.Connect(p), Sleep: p.Clock().Sleep, Keyed: keyed,
				Lock: redislocks.NewSetPX(redis.Connect(p), order, redislocks.Options{TTL: p.TTL(), Clock: p.Clock()}),
			}
			p.Sometimes(w.Run(p.Context(), payments.Payment{Order: order, Cents: 500}) == nil, "the order is paid")
			return nil
		},
		Finally: func(p *locktest.Process) error {
			list, err := payments.Connect(p).Paid(p.Context(), order)
			if err == nil && len(list) > 1 {
				err = fmt.Errorf("the order %s was paid %d times", order, len(list))
			}
			return err
		},
	}
}

// TestPaysTwice: without a key the order is paid twice, where an answer is lost and the request is repeated, and where the
// lock has ended while its holder pays.
func TestPaysTwice(t *testing.T) {
	for _, scenario := range []string{"lost-reply", "gc-pause"} {
		r := locktest.ExploreProgram(t, pay(false), locktest.Only(scenario))
		if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool { return f.Property == "what-finally-asks-holds-at-the-end" }) {
			t.Errorf("the order is never paid twice in %s", scenario)
		}
	}
}

// TestPaysOnce: with a key it is paid once, whatever fails.
func TestPaysOnce(t *testing.T) { locktest.CheckProgram(t, pay(true)) }
