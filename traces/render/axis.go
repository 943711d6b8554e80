package render

import (
	"time"

	"github.com/lockpick-dev/lockpick/traces"
)

// tickRoom is how many pixels the time between two ticks takes at least.
const tickRoom = 96

// tick is a labelled place on the time axis.
type tick struct {
	at   time.Duration
	text string
}

// ticks are the ticks of a window drawn on so many pixels: at multiples of 1,
// 2 or 5 times a power of ten. The script of the page does the same; see
// ticks in view.js.
func ticks(w window, pixels float64) []tick {
	step, decimals := tickStep(w, pixels)
	var all []tick
	first := (max(0, w.from) + step - 1) / step * step
	for at := first; at <= w.to && len(all) < 100; at += step {
		all = append(all, tick{at, traces.Seconds(at, decimals)})
	}
	return all
}

// tickStep is the time between two ticks, and how many decimals of a second
// tell them apart.
func tickStep(w window, pixels float64) (step time.Duration, decimals int) {
	least := float64(w.span()) * tickRoom / pixels
	step, decimals = 1, 9
	for i := 0; float64(step) < least && i < 54; i++ {
		// 1, 2, 5, 10: what comes after 2 is two and a half times as much.
		if i%3 == 1 {
			step = step / 2 * 5
		} else {
			step *= 2
		}
		if i%3 == 2 && decimals > 0 {
			decimals--
		}
	}
	return step, decimals
}
