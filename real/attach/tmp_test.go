package attach_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/attach"
	"github.com/lockpick-dev/lockpick/real/redis"
)

func TestTmp(t *testing.T) {
	tg := &attach.Target{Command: strings.Fields(os.Getenv("CMD")), Store: redis.Store, StoreID: "redis", Terms: model.Terms{Store: "Redis", Node: "Redis node", Serving: "primary", Follower: "replica", Record: "key"}, Lease: 500 * time.Millisecond, Clients: 2, Servers: 1}
	var p attach.Plan
	if f := os.Getenv("FAULT"); f != "" {
		var err error
		if p, err = attach.ParsePlan(strings.Split(f, ";")); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range attach.Workloads() {
		if o := os.Getenv("W"); o != "" && o != w.ID {
			continue
		}
		for range 2 {
			b := time.Now()
			r, err := tg.Run(context.Background(), w, p)
			if err != nil {
				t.Error(err)
				continue
			}
			fmt.Println(w.ID, time.Since(b), r.History.End.At, r.Struck, r.Lock)
			for _, v := range tg.Judge(r) {
				if v.Status != "holds" {
					fmt.Println("  ", v.Property, v.Status, v.Cause, v.Sentence)
				}
			}
			if os.Getenv("V") != "" {
				for _, s := range r.Profile {
					fmt.Println("  ", s)
				}
				for _, e := range r.Events {
					fmt.Println("     ", e.Seq, e.At, e.Kind, e.Actor, e.Peer, e.Conn, e.Detail, strings.ReplaceAll(string(e.Payload), "\r\n", " "))
				}
			}
		}
	}
}
