package faults

import (
	"slices"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// unlessNode returns a Lacks function: lacks, unless a node has a capability such as
// [stage.Hanger].
func unlessNode[Capability any](lacks string) func(stage.Cluster) string {
	return func(c stage.Cluster) string {
		for _, s := range c {
			if slices.ContainsFunc(s.Nodes(), func(n stage.Node) bool { _, can := n.(Capability); return can }) {
				return ""
			}
		}
		return lacks
	}
}

// unlessServer returns a Lacks function: lacks, unless a server has a capability such as
// [stage.Restarting].
func unlessServer[Capability any](lacks string) func(stage.Cluster) string {
	return func(c stage.Cluster) string {
		if slices.ContainsFunc(c, func(s *stage.Server) bool { _, can := s.Authority.(Capability); return can }) {
			return ""
		}
		return lacks
	}
}
