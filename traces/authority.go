package traces

import "github.com/lockpick-dev/lockpick/model"

// Schema 1 says "primary" of an observation whose authority is its own node, as that
// of every Redis node is, and names the authority where it is another.

// written are the observations as the schema says them.
func written(list []model.Observation) []model.Observation {
	said := make([]model.Observation, len(list))
	for i, o := range list {
		if o.Authority == o.Node {
			o.Primary, o.Authority = true, ""
		}
		said[i] = o
	}
	return said
}

// read is what was meant by observations that were written so.
func read(list []model.Observation) {
	for i := range list {
		if o := &list[i]; o.Primary {
			o.Primary, o.Authority = false, o.Node
		}
	}
}
