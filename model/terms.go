package model

import (
	"cmp"
	"regexp"
	"strings"
)

// Terms are a store's own nouns, for texts. An empty field stands for the noun that
// fits any store ([Terms.Usual]).
type Terms struct {
	// Store is its name, "ZooKeeper"; Node a server process, "server"; Serving one
	// that serves, "leader"; Follower another, "follower"; Record the record of a
	// lock, "znode"; Session what such records live with, "session" or "lease", empty if
	// they live with nothing. Plurals add an s.
	Store    string `json:"store"`
	Node     string `json:"node"`
	Serving  string `json:"serving"`
	Follower string `json:"follower"`
	Record   string `json:"record"`
	Session  string `json:"session,omitempty"`
	// Endless is set if the store never ends a record by itself. A lock that needs an end then
	// keeps it in the record's value.
	Endless bool `json:"endless,omitempty"`
	// Measured is set if the end of a record is for clients to measure, and nothing happens in the store then: a client may
	// take the record over once it has seen it unchanged for the record's length, by a clock without jumps. ExpiresAt is
	// then when a client that saw the last change at once may do so.
	Measured bool `json:"measured,omitempty"`
}

// Usual returns the terms with a default for each that is empty.
func (t Terms) Usual() Terms {
	return Terms{
		Store: cmp.Or(t.Store, "the store"), Node: cmp.Or(t.Node, "node"), Serving: cmp.Or(t.Serving, "leader"),
		Follower: cmp.Or(t.Follower, "follower"), Record: cmp.Or(t.Record, "record"), Session: t.Session, Endless: t.Endless, Measured: t.Measured,
	}
}

// articled is a placeholder behind an article, which depends on the noun.
var articled = regexp.MustCompile(`\b[aA] \{[a-z]+\}`)

// Fill replaces {store}, {node}, {serving}, {follower} and {record} in a text.
func (t Terms) Fill(text string) string {
	t = t.Usual()
	text = articled.ReplaceAllStringFunc(text, func(found string) string {
		if word := t.Fill(found[2:]); word != found[2:] && strings.ContainsRune("aeiouAEIOU", rune(word[0])) {
			return found[:1] + "n " + word
		}
		return found
	})
	return strings.NewReplacer("{store}", t.Store, "{node}", t.Node, "{serving}", t.Serving, "{follower}", t.Follower, "{record}", t.Record).Replace(text)
}
