package model

import "time"

// Briefly is a duration as the sentences of verdicts and stories say it, in three
// significant digits: "2s", "3.14s", "310µs".
func Briefly(d time.Duration) string {
	unit := time.Duration(1)
	for size := d.Abs(); size >= 1000; size /= 10 {
		unit *= 10
	}
	return d.Round(unit).String()
}
