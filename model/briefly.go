package model

import "time"

// Briefly formats a duration for verdicts and stories, with three significant
// digits: "2s", "3.14s", "310µs".
func Briefly(d time.Duration) string {
	unit := time.Duration(1)
	for size := d.Abs(); size >= 1000; size /= 10 {
		unit *= 10
	}
	return d.Round(unit).String()
}
