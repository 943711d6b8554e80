package holders

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// Forgot reports whether a server forgot anything between two events: it lost keys in a restart or when it came back, or a
// node with other values replaced it or served beside it.
func (hs *Holders) Forgot(from, to int64) bool {
	var copies []copyOf
	var serving, down, beside []string
	for i := range hs.h.Observations {
		o := &hs.h.Observations[i]
		if o.Seq > to {
			break
		}
		if o.Seq >= from && len(beside) > 0 {
			return true
		}
		switch o.Kind {
		case model.RecordCreated, model.RecordChanged, model.RecordExpired, model.RecordDeleted:
			copies = slices.DeleteFunc(copies, func(c copyOf) bool { return c.node == o.Place() && c.key == o.Key })
			if o.Kind == model.RecordCreated || o.Kind == model.RecordChanged {
				copies = append(copies, copyOf{o.Place(), o.Key, o.Value, o.Items})
			}
			if o.Authority != "" && !slices.Contains(serving, o.Place()) {
				if slices.ContainsFunc(serving, func(n string) bool { return hs.SameServer(n, o.Place()) }) {
					beside = append(beside, o.Place())
				}
				serving = append(serving, o.Place())
			}
		case model.RecordDropped:
			if o.Seq >= from {
				return true
			}
		case model.Crashed, model.Returned:
			at := func(n string) bool { return n == o.Place() }
			if down, beside = slices.DeleteFunc(down, at), slices.DeleteFunc(beside, at); o.Kind == model.Crashed {
				down = append(down, o.Place())
			}
		case model.Promoted:
			for _, old := range serving {
				switch {
				case old == o.Place() || !hs.SameServer(old, o.Place()):
				case !slices.Contains(down, old):
					beside = append(beside, old)
				case o.Seq >= from && !sameCopies(copies, old, o.Place()):
					return true
				}
			}
			serving = slices.DeleteFunc(serving, func(n string) bool { return hs.SameServer(n, o.Place()) })
			serving = append(serving, o.Place())
		}
	}
	return len(beside) > 0
}

// copyOf is a node's copy of a key.
type copyOf struct {
	node, key, value string
	items            []string
}

func sameCopies(copies []copyOf, a, b string) bool {
	has := func(node string, c *copyOf) bool {
		return slices.ContainsFunc(copies, func(o copyOf) bool {
			return o.node == node && o.key == c.key && o.value == c.value && slices.Equal(o.items, c.items)
		})
	}
	for i := range copies {
		c := &copies[i]
		if c.node == a && !has(b, c) || c.node == b && !has(a, c) {
			return false
		}
	}
	return true
}
