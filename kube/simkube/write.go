package simkube

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// write has an operation appended to the log. The request is answered when this server has applied it. Without
// a leader it waits for one; what a leader does not commit is not asked for again.
func (c *call) write() {
	o, err := c.operation()
	if err != nil {
		c.finish(fails(err))
		return
	}
	n := c.node
	x := &entry{operation: o, from: c, by: c.By()}
	c.within(n.cluster.options.patience(), ofStorage("etcdserver: request timed out"))
	n.withLeader(func() {
		switch {
		case c.over():
		case n.Leadership() != nil:
			n.propose(x)
		default:
			n.SendToLeader(x.String(), func(leader *Node) {
				leader.serve(forPeer, nil)
				leader.propose(x)
			})
		}
	})
}

// operation parses the operation of a request, or returns an error.
func (c *call) operation() (operation, *status) {
	namespace, name := c.path.namespace, c.path.name
	switch c.verb {
	case "patch":
		var content map[string]any
		switch err := json.Unmarshal(c.Body, &content); {
		case err != nil:
			return nil, badRequest(fmt.Sprintf("error decoding patch: %v", err))
		case content == nil: // "null"
			return nil, badRequest("Invalid JSON Patch")
		}
		return &patch{namespace, name, c.Body}, nil
	case "delete":
		return c.removal()
	}
	l, err := decodeLease(c.Body)
	if err != nil {
		return nil, err
	}
	if what := l.unsupported(); what != "" {
		c.unserved(what)
	}
	if err := l.check(namespace, name); err != nil {
		return nil, err
	}
	made := stamp{c.node.uid(), c.node.clock.At(c.node.world.Now()).UTC().Format(time.RFC3339)}
	if c.verb == "update" {
		return &update{l, made}, nil
	}
	if err := l.validate(nil); err != nil {
		return nil, err
	}
	if n, err := strconv.ParseUint(l.Metadata.ResourceVersion, 10, 64); err == nil && n != 0 { // a server ignores what is no number
		return nil, ofStorage("resourceVersion should not be set on objects to be created")
	}
	return &create{l, made}, nil
}

// removal parses a DELETE.
func (c *call) removal() (operation, *status) {
	options, err := decodeOptions(c.Body)
	if err != nil {
		return nil, err
	}
	if policy := c.Request.URL.Query().Get("propagationPolicy"); policy != "" {
		options.PropagationPolicy = policy
	}
	switch p := options.PropagationPolicy; {
	case len(options.DryRun) > 0:
		c.unserved("dryRun")
	case p != "" && p != "Background", options.OrphanDependents != nil:
		c.unserved("delete with propagationPolicy=" + p)
	}
	return &remove{c.path.namespace, c.path.name, options.Preconditions.UID, options.Preconditions.ResourceVersion}, nil
}
