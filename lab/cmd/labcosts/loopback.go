package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// loopback returns the distribution of the way to a Redis over the loopback interface, as source code: half of the round
// trip of a PING that a client makes after a pause, without the server's time for it. It includes the client library's
// time, and the time until a waiting process is woken, which is most of it. A few trips are as slow as other work of the
// machine, so the 99.9th percentile is that of the log-normal distribution with the measured median and 90th percentile.
func loopback(ctx context.Context, client *redis.Client, ping time.Duration) (string, error) {
	const trips, pause = 3000, time.Millisecond
	var ways []time.Duration
	for range trips {
		time.Sleep(pause)
		start := time.Now()
		if err := client.Ping(ctx).Err(); err != nil {
			return "", err
		}
		ways = append(ways, max(0, time.Since(start)-ping)/2)
	}
	slices.Sort(ways)
	median, p90 := ways[trips/2], ways[trips*9/10]
	const z90, z999 = 1.2816, 3.0902 // of the standard normal distribution
	p999 := float64(median) * math.Pow(float64(p90)/float64(median), z999/z90)
	return fmt.Sprintf("lab.Latency{Median: %s, P999: %s}", microseconds(median), microseconds(time.Duration(p999))), nil
}
