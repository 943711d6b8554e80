//go:build !linux

package real

import "time"

// monotonic is not known: a session ends up to a tick before or after that of the trace.
func monotonic() time.Duration { return 0 }
