package real

import (
	"encoding/json"
	"path"
	"slices"

	"github.com/lockpick-dev/lockpick/etcd/store/simh2"
	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// Environment has a client's process call the members that it called in the trace, in the order of the calls of each method,
// {"Txn":[0,2]}. The library begins with a random one, which decides which requests and answers share a connection.
func (store) Environment(t *traces.Trace, client string) []string {
	var nodes []string
	for i := range t.Actors {
		if a := &t.Actors[i]; a.Kind == traces.NodeActor {
			nodes = append(nodes, a.Name)
		}
	}
	route := map[string][]int{}
	readers := map[int]*simh2.Reader{}
	for i := range t.Events {
		e := &t.Events[i]
		node := slices.Index(nodes, e.Actor)
		if e.Kind != sim.EventDeliver || e.Peer != client || node < 0 || len(e.Payload) == 0 {
			continue
		}
		if readers[e.Conn] == nil {
			readers[e.Conn] = simh2.NewReader()
		}
		_ = readers[e.Conn].Read(e.Payload, func(_ []byte, p *simh2.Part) { // what cannot be read is no call
			if p.Method != "" {
				method := path.Base(p.Method)
				route[method] = append(route[method], node)
			}
		})
	}
	text, err := json.Marshal(route)
	if err != nil {
		panic(err) // it is a map of lists of numbers
	}
	return []string{realclient.RouteVariable + "=" + string(text)}
}
