package labreport

import "math"

// sampleReport is a report with all that a report may have.
func sampleReport() *Report {
	figure := func(median, low, high, published, real float64) Figure {
		return Figure{median, low, high, published, real, math.NaN()}
	}
	nan := math.NaN()
	contenders := []float64{1, 4, 16, 64}
	var lines []Series
	for i, name := range []string{"setpx, polling", "watch the one before", "pub/sub", "<b>etcd & co</b>"} {
		s := Series{Name: name}
		for j, x := range contenders {
			y := 900 / (1 + float64(i)*0.4) / (1 + 0.3*float64(j)*float64(i))
			s.Points = append(s.Points, Point{x, y, 0.93 * y, 1.08 * y})
		}
		lines = append(lines, s)
	}
	lines[3].Points[2].Y = nan // a gap
	var steps []Series
	for i, name := range []string{"polling", "pub/sub"} {
		s := Series{Name: name}
		for q := range 201 {
			x := 0.3 * math.Exp(float64(q)/25/(1+float64(i)))
			y := float64(q) / 2
			s.Points = append(s.Points, Point{x, y, y, y})
		}
		steps = append(steps, s)
	}
	return &Report{
		Experiment: "herd", Question: "How many wake-ups does a release cost, and how long does the hand-over take?",
		Source: "somebody: Locks, measured", Command: "simrun experiment herd -p hold=20ms --seed 1 --seeds 20",
		Look:     "simrun experiment herd -p hold=20ms --variant pub/sub --seed 1 --draw run.html",
		Settings: []Setting{{"hold", "20ms", "how long the lock is held"}, {"waiters", "64", "threads that wait"}}, Seed: 1, Seeds: 20,
		Claims: []Claim{
			{Sentence: "Polling wakes everybody.", Holds: 20, Of: 20},
			{Sentence: "Pub/sub hands over within a round trip, which is what the document says of it, in a sentence that takes two lines of a terminal.", Holds: 13, Of: 20, Note: "In the other seeds a message comes late."},
			{Sentence: "A queue is slower than a herd.", Holds: 0, Of: 20},
		},
		Tables: []Table{{
			Title: "Wake-ups", What: "lock",
			Columns: []Column{{"requests", ""}, {"throughput", "1/s"}, {"hand-over, median", "ms"}, {"hand-over, 99 %", "ms"}, {"requests per acquisition", ""}, {"fairness", ""}},
			Rows: []Row{
				{"setpx, polling", []Figure{figure(29443.5, 29015, 29773, 21245, 27000), figure(48.26, 47.9, 48.5, nan, 47), figure(0.263, 0.259, 0.267, nan, nan), figure(2671, 2668, 2708, nan, nan), figure(25.98, 25.7, 26.2, nan, nan), figure(0.997, 0.99, 0.999, nan, nan)}},
				{"watch the one before", []Figure{figure(6594, 6270, 6749, 6105, nan), figure(51, 51, 51, 50, nan), figure(0.0041, 0.004, 0.0043, nan, nan), None(), figure(5.73, 5.53, 5.87, nan, nan), figure(1, 1, 1, nan, nan)}},
			},
		}},
		Plots: []Plot{
			{Title: "Throughput by contenders", Kind: Lines, X: Axis{Name: "contenders", Log: true}, Y: Axis{Name: "throughput", Unit: "1/s"}, Series: lines},
			{Title: "How long successful tries waited", Kind: Steps, X: Axis{Name: "wait", Unit: "ms", Log: true}, Y: Axis{Name: "of all, at most", Unit: "%"}, Series: steps},
			{Title: "Nothing was measured", Kind: Lines, X: Axis{Name: "lease", Unit: "ms"}, Y: Axis{Name: "losses", Log: true}, Series: []Series{{Name: "none"}}},
		},
		Notes: []string{
			"A note that is long enough to be broken into two lines on a terminal, since a line of a terminal has no more than one hundred characters.",
			"A short one.",
		},
	}
}
