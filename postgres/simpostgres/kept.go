package simpostgres

import (
	"sync"

	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
)

// kept is a cache that the clusters of a process share. Its values are never changed, and a value that is made again is equal to the
// kept one, so that a run does not depend on the runs before it.
type kept[T any] struct {
	most  int        // number of keys that are kept
	mutex sync.Mutex // held for a look into the map only
	of    map[string]T
}

func (k *kept[T]) get(key string) (x T, ok bool) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	x, ok = k.of[key]
	return x, ok
}

func (k *kept[T]) put(key string, x T) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if k.of == nil || len(k.of) == k.most {
		k.of = map[string]T{}
	}
	k.of[key] = x
}

// parsed are the statements of a text, or its error.
type parsed struct {
	list []syntax.Statement
	err  error
}

// texts are the texts that were read.
var texts = kept[parsed]{most: 1024}

// parse reads the statements of a text. Clients send the same ones again and again. Within a cluster the statements of a text are
// the same ones: plans are kept for them.
func (c *Cluster) parse(text string) ([]syntax.Statement, error) {
	p, ok := c.parsed[text]
	if ok {
		return p.list, p.err
	}
	if p, ok = texts.get(text); !ok {
		p.list, p.err = syntax.Parse(text)
		texts.put(text, p)
	}
	c.parsed[text] = p
	return p.list, p.err
}
