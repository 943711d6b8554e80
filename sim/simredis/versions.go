package simredis

import (
	"fmt"
	"slices"
	"strings"
)

// Version is a kind and version of server, which decides the commands that nodes have and the version
// that they report.
type Version int

// The versions. AnyVersion answers as 7.2, and also has the commands of all other versions, and of
// Tair, that locks use.
const (
	AnyVersion Version = iota
	Redis70
	Redis72
	Redis84
	Valkey9
)

// number returns the version of Redis that a server reports; Valkey reports one for its
// clients' sake.
func (v Version) number() string {
	switch v {
	case Redis70:
		return "7.0.15"
	case Redis84:
		return "8.4.0"
	}
	return version
}

// product returns a server's name and its own version.
func (v Version) product() (name, number string) {
	if v == Valkey9 {
		return "valkey", "9.0.0"
	}
	return "redis", v.number()
}

// since has the versions that know a command or an option, for those that not all versions know; only
// Tair has CAD.
var since = map[string][]Version{
	"cad": {}, "delex": {Redis84}, "delifeq": {Valkey9}, "ifeq": {Redis84, Valkey9}, "ifne": {Redis84},
	"digest": {Redis84}, "ifdeq": {Redis84}, "ifdne": {Redis84},
	"client|setinfo": {Redis72, Redis84, Valkey9}, "client|no-touch": {Redis72, Redis84, Valkey9},
}

// has reports whether a version knows a command or an option.
func (v Version) has(name string) bool {
	versions, some := since[name]
	return v == AnyVersion || !some || slices.Contains(versions, v)
}

// unknown returns the node's error for a command that its version does not know, or "". S is nil if no version here
// knows it.
func (n *Node) unknown(s *spec, words []string) string {
	switch {
	case s == nil || n.cluster.options.Version.has(s.name):
		return ""
	case strings.Contains(s.name, "|"):
		return fmt.Sprintf("ERR unknown subcommand '%s'. Try %s HELP.", words[1], strings.ToUpper(words[0]))
	}
	return unknownCommand(words)
}
