package attach

import "testing"

// TestInTurn: a search that has fewer runs than there are plans of one fault tries each kind of fault in each phase.
func TestInTurn(t *testing.T) {
	var points []Seen
	for n := range 9 {
		points = append(points, Seen{Point: Point{Client: "c1", Phase: Acquiring, Round: 1, N: n + 1}, Changes: n == 0})
	}
	points = append(points, Seen{Point: Point{Client: "c1", Phase: Releasing, Round: 1, N: 1}, Changes: true})
	for seed := range uint64(20) {
		s := Search{Target: &Target{Clients: 2}, Scenarios: []Scenario{{ID: "late-request", Do: []Action{DelayQuery}}}, Seed: seed, Runs: 6}
		kinds := map[Phase]map[int]bool{Acquiring: {}, Releasing: {}}
		for _, c := range s.candidates([]profile{{Turns, points}, {Asks, points}, {Long, points}}) {
			if f := c.Plan[0]; f.Passed == UntilGone || f.Passed == 3 {
				kinds[f.At.Phase][f.Passed] = true
			}
		}
		if len(kinds[Acquiring]) != 2 || len(kinds[Releasing]) != 2 {
			t.Errorf("seed %d: of the delays until the record is gone, or three have passed, six runs have %v", seed, kinds)
		}
	}
}
