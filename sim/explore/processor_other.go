//go:build !unix

package explore

import "time"

// processorTime is not known here: the watchdog goes by its patience alone.
func processorTime() time.Duration { return 0 }
