// Command benchsearch measures how many schedules each strategy takes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/lockpick-dev/lockpick/internal/testlocks"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

func locks() []scenarios.Lock { return append(scenarios.Locks(), testlocks.All()...) }

func main() {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		if err := explore.ServeStdio(scenarios.Resolver(locks())); err != nil {
			fmt.Fprintln(os.Stderr, "simrun:", err)
			os.Exit(1)
		}
		return
	}
	seeds := flag.Int("seeds", 20, "")
	most := flag.Int("most", 2000, "")
	bugs := flag.String("bugs", "", "")
	strat := flag.String("strategies", "random,swarm,pct,pos,guided,bounded,portfolio", "")
	flag.Parse()
	w, err := explore.Self("worker")
	if err != nil {
		panic(err)
	}
	for _, bug := range strings.Split(*bugs, ",") {
		part := strings.Split(bug, "/")
		c, err := scenarios.NewCell(part[0], part[1], nil, locks())
		if err != nil {
			panic(err)
		}
		for _, p := range part[3:] {
			k, v, _ := strings.Cut(p, "=")
			if err := c.Params.Set(k, v); err != nil {
				panic(err)
			}
		}
		fmt.Printf("%s\n", bug)
		for _, strategy := range strings.Split(*strat, ",") {
			found := make([]int, *seeds)
			sem := make(chan int, 2)
			var wg sync.WaitGroup
			hands := make(chan *explore.Hand, 2)
			hands <- &explore.Hand{Worker: w}
			hands <- &explore.Hand{Worker: w}
			for s := range *seeds {
				sem <- 0
				wg.Go(func() {
					defer func() { <-sem }()
					h := <-hands
					found[s] = *most + 1
					err := h.Do(context.Background(), explore.Request{Cell: c.Encode(), Strategy: strategy, Seed: uint64(s + 1), Count: *most}, func(r explore.Result) bool {
						if r.Trouble != nil {
							panic(r.Trouble.Reason + r.Trouble.Stack)
						}
						if slices.Contains(r.Violated, part[2]) {
							found[s] = r.Schedule + 1
							return false
						}
						return true
					})
					if err != nil {
						panic(err)
					}
					hands <- h
				})
			}
			wg.Wait()
			slices.Sort(found)
			fmt.Printf("   %-10s median %5d  p90 %5d\n", strategy, found[(len(found)-1)/2], found[len(found)*9/10])
			for range 2 {
				(<-hands).Close()
			}
		}
	}
}
