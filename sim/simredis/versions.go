package simredis

import (
	"fmt"
	"slices"
	"strings"
)

// Version is which server the nodes are, by the commands that they have and what they say of themselves.
type Version int

// Versions. AnyVersion answers as 7.2, and has the commands that locks use of all of them, and of Tair.
const (
	AnyVersion Version = iota
	Redis70
	Redis72
	Redis84
	Valkey9
)

// number is the version of Redis that a server reports, which Valkey has for its clients' sake.
func (v Version) number() string {
	switch v {
	case Redis70:
		return "7.0.15"
	case Redis84:
		return "8.4.0"
	}
	return version
}

// product is a server's name, and its own version.
func (v Version) product() (name, number string) {
	if v == Valkey9 {
		return "valkey", "9.0.0"
	}
	return "redis", v.number()
}

// since has the versions that know a command or an option which not all of them know; Tair alone has CAD.
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

// unknown is how the node's version answers a command that it does not know, empty if it knows it. S is nil if no version here does.
func (n *Node) unknown(s *spec, words []string) string {
	switch {
	case s == nil || n.cluster.options.Version.has(s.name):
		return ""
	case strings.Contains(s.name, "|"):
		return fmt.Sprintf("ERR unknown subcommand '%s'. Try %s HELP.", words[1], strings.ToUpper(words[0]))
	}
	return unknownCommand(words)
}
