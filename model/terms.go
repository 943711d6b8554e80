package model

import (
	"cmp"
	"strings"
)

// Terms are what things are called in a store, for texts. An empty one stands for
// the word that fits any store.
type Terms struct {
	// Store is its name, "ZooKeeper"; Node what its server processes are called,
	// "server"; Serving one that serves, "leader"; Follower another, "follower";
	// Record what a lock lies in, "znode". Their plural is the word and an s.
	Store    string `json:"store"`
	Node     string `json:"node"`
	Serving  string `json:"serving"`
	Follower string `json:"follower"`
	Record   string `json:"record"`
}

// Usual are the terms with a word for each that is empty.
func (t Terms) Usual() Terms {
	return Terms{
		Store: cmp.Or(t.Store, "the store"), Node: cmp.Or(t.Node, "node"), Serving: cmp.Or(t.Serving, "leader"),
		Follower: cmp.Or(t.Follower, "follower"), Record: cmp.Or(t.Record, "record"),
	}
}

// Fill puts the terms in the places of a text: {store}, {node}, {serving}, {follower}
// and {record}.
func (t Terms) Fill(text string) string {
	t = t.Usual()
	return strings.NewReplacer("{store}", t.Store, "{node}", t.Node, "{serving}", t.Serving, "{follower}", t.Follower, "{record}", t.Record).Replace(text)
}
