package sim

import "time"

// forEver is a time beyond any horizon. A time a little later can still be
// represented.
const forEver = time.Duration(1 << 62)

// later is t+d, at most forEver.
func later(t, d time.Duration) time.Duration {
	if d > forEver-t {
		return forEver
	}
	return t + d
}

// window is the beginning of the present window. Any goroutine of the run may
// ask.
func (w *World) window() time.Duration { return w.floor(w.bubble.now()) }

// floor is the beginning of the window in which t is, and ceil that of the
// first one that does not begin before t.
func (w *World) floor(t time.Duration) time.Duration { return t - t%w.config.Window }

func (w *World) ceil(t time.Duration) time.Duration { return w.floor(t + w.config.Window - 1) }
