package picture

import "testing"

// TestTextsKeepOffBars: a text takes no room of a bar that is not its own, but for what lies over its own bar with it.
func TestTextsKeepOffBars(t *testing.T) {
	const base = 50.0 // the text reaches from 40.5 to 52.5
	for _, c := range []struct {
		name string
		bars []bar
		own  []int
		free bool
	}{
		{"no bar", nil, nil, true},
		{"above", []bar{{0, 300, 30, 40.5, 1, false}}, nil, true},
		{"touching from above", []bar{{0, 300, 30, 41, 1, false}}, nil, false},
		{"below", []bar{{0, 300, 52.5, 60, 1, false}}, nil, true},
		{"touching from below", []bar{{0, 300, 52, 60, 1, false}}, nil, false},
		{"beside", []bar{{0, 100, 40, 60, 1, false}}, nil, true},
		{"touching at the side", []bar{{0, 101, 40, 60, 1, false}}, nil, false},
		{"its own", []bar{{0, 300, 40, 60, 1, false}}, []int{1}, true},
		{"its own, in part", []bar{{150, 300, 40, 60, 1, false}}, []int{7, 1}, true},
		{"its own and another", []bar{{0, 300, 40, 60, 1, false}, {150, 300, 40, 60, 2, false}}, []int{1}, false},
		{"a pause", []bar{{0, 300, 40, 60, 2, true}}, nil, false},
		{"a pause over its own", []bar{{0, 300, 40, 60, 1, false}, {150, 300, 0, 60, 2, true}}, []int{1}, true},
		{"a pause over its own, which ends before", []bar{{0, 150, 40, 60, 1, false}, {150, 300, 0, 60, 2, true}}, []int{1}, false},
	} {
		r := room{right: 300, bars: c.bars}
		if free := r.take(box{100, 200, base}, c.own); free != c.free {
			t.Errorf("%s: free is %v", c.name, free)
		}
	}
}

// TestPlacesAbove: what has no room on its line stands above, if it has a line there.
func TestPlacesAbove(t *testing.T) {
	l := Label{Class: "lab strong", Y: 50, Place: placeMiddle, Long: "redis1 is down", Short: "down"}
	r := room{right: 300, bars: []bar{{0, 300, 40, 60, 1, false}}}
	if at := r.place(&l, 0, 300); at.ok {
		t.Errorf("it stands at %v on a bar", at)
	}
	l.above = 20
	if at := r.place(&l, 0, 300); !at.ok || at.y != 20 || at.text != l.Long {
		t.Errorf("it stands at %v", at)
	}
	if at := r.place(&l, 0, 60); !at.ok || at.text != l.Short {
		t.Errorf("it stands at %v where there is little room", at)
	}
}
