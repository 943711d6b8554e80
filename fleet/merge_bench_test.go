package fleet

import (
	"os"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/fleet/internal/bucket"
	"github.com/lockpick-dev/lockpick/fleet/internal/pieces"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// BenchmarkMerge: a server that finds the results of 10^8 schedules in its bucket, until it has merged them. Of their classes of outcomes
// none is twice, which is the worst case: runs of locks have about as many.
func BenchmarkMerge(b *testing.B) {
	const blocks = 100_000_000 / explore.BlockSize
	f := &fake{blocks: blocks, version: "1"}
	dir := b.TempDir()
	serve := &serveCmd{Bucket: dir + "/bucket", Out: dir, Jobs: 1, Lease: time.Second, Tries: 3, AnyBuild: true, accessFlags: accessFlags{Name: "fleet"}}
	fill(b, f, serve.Bucket)
	before := high(b)
	for b.Loop() {
		if err := serve.Run(b.Context(), f); err != nil {
			b.Fatal(err)
		}
	}
	got := f.concluded.State.Tally()
	n, share := got.Distinct()
	if want := blocks * explore.BlockSize; got.Schedules != want || float64(abs(n-want)) > 4*share*float64(want) {
		b.Errorf("%d schedules, %d classes with an error of %v", got.Schedules, n, share)
	}
	b.ReportMetric(float64(high(b))/(1<<20), "MiB-peak")
	b.ReportMetric(float64(before)/(1<<20), "MiB-peak-of-writing")
	b.ReportMetric(float64(runtime.GOMAXPROCS(0)), "processors")
}

// fill writes the results of all pieces.
func fill(b *testing.B, f *fake, dir string) {
	b.Helper()
	url, err := bucket.URL(dir)
	if err != nil {
		b.Fatal(err)
	}
	to, err := bucket.Open(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	defer to.Close()
	search := &fakeSearch{f}
	m, err := to.Begin(b.Context(), bucket.NewManifest(search, pieces.NewPlan(search.Blocks(), 0), ""))
	if err != nil {
		b.Fatal(err)
	}
	bytes := 0
	for n := range m.Plan.Pieces() {
		r := m.Plan.Range(n)
		builder := pieces.NewBuilder(m.Plan, r)
		for block := r.First; block < r.End; block++ {
			one := blockTally(block, explore.BlockSize)
			delete(one.Classes, 7)
			builder.Add(block, one)
		}
		result, err := builder.Result(false)
		if err != nil {
			b.Fatal(err)
		}
		e, err := pieces.Encode(m.Search(), result, pieces.Made{Worker: "synthetic", Spent: time.Minute, Tries: 1})
		if err == nil {
			err = to.Write(b.Context(), r, e)
		}
		if err != nil {
			b.Fatal(err)
		}
		bytes += len(e.Data)
	}
	b.Logf("%d results, %.2f bytes a schedule", m.Plan.Pieces(), float64(bytes)/float64(search.Schedules()))
}

// high is the most memory that this process has had, in bytes.
func high(b *testing.B) int {
	b.Helper()
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip("the most memory of a process is known on Linux only: ", err)
	}
	m := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(raw)
	if m == nil {
		b.Fatal("there is no VmHWM in /proc/self/status")
	}
	n, err := strconv.Atoi(string(m[1]))
	if err != nil {
		b.Fatal(err)
	}
	return n << 10
}
