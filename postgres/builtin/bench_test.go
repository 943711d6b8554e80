package builtin_test

import "testing"

// BenchmarkSchedule is what a run of each lock costs.
func BenchmarkSchedule(b *testing.B) { everything.Benchmark(b) }
