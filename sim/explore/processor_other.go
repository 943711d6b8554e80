//go:build !unix

package explore

import "time"

// processorTime returns 0: this system does not report it, so the watchdog uses only
// its patience.
func processorTime() time.Duration { return 0 }
