package etcd

import (
	"syscall"
	"testing"
	"time"
)

// BenchmarkRun is a run of two clients that take a mutex twice each.
func BenchmarkRun(b *testing.B) {
	b.ReportAllocs()
	var events int64
	before := busy()
	for n := 0; b.Loop(); n++ {
		r := calm.run(randomTape(n), false, nil)
		if r.Failure != nil {
			b.Fatal(r.Failure)
		}
		events += r.EventCount
	}
	b.ReportMetric(float64(events)/float64(b.N), "events/op")
	b.ReportMetric(float64((busy()-before).Microseconds())/float64(b.N), "cpu-us/op")
}

// busy is how long the processors have been busy with this process.
func busy() time.Duration {
	var u syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
