package sampletraces

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/traces"
)

// Sound returns why a trace cannot be written and read back; nil if it can.
func Sound(t *traces.Trace) error {
	var file bytes.Buffer
	if err := traces.Encode(&file, t); err != nil {
		return err
	}
	_, err := traces.Decode(&file)
	return err
}

// Hostile is text that a page or a diagram would interpret if it did not escape it.
const Hostile = `</script><img src=x onerror=alert(1)>"'><svg/onload=alert(2)>{{.}}` + "\x00\u202e]]>"

// MakeHostile puts hostile text into everything that a user's lock can influence, and more.
func MakeHostile(t *traces.Trace) {
	rename := func(s *string) {
		if *s != "" {
			*s += Hostile
		}
	}
	for _, s := range []*string{&t.Scenario, &t.Lock, &t.Store, &t.Terms.Store, &t.Terms.Node, &t.Terms.Serving, &t.Terms.Follower, &t.Terms.Record, &t.History.LockName} {
		rename(s)
	}
	for i := range t.Parameters {
		rename(&t.Parameters[i].Name)
		rename(&t.Parameters[i].Value)
	}
	for i := range t.Actors {
		rename(&t.Actors[i].Name)
	}
	for i := range t.Events {
		e := &t.Events[i]
		rename(&e.Actor)
		rename(&e.Peer)
		rename(&e.Detail)
		e.Payload = append(e.Payload, Hostile...)
	}
	for i := range t.History.Operations {
		rename(&t.History.Operations[i].Client)
		rename(&t.History.Operations[i].Err)
	}
	for i := range t.History.Observations {
		o := &t.History.Observations[i]
		for _, s := range []*string{&o.Node, &o.Key, &o.Value, &o.By.Client, &o.Owner.Client, &o.OldOwner.Client} {
			rename(s)
		}
	}
	for i := range t.Verdicts {
		rename(&t.Verdicts[i].Property)
		rename(&t.Verdicts[i].Sentence)
	}
	rename(&t.Property)
	rename(&t.Strategy)
	if t.Shrunk != nil {
		for i := range t.Shrunk.Parameters {
			rename(&t.Shrunk.Parameters[i].Value)
		}
	}
	if a := t.Attribution; a != nil {
		for i := range a.Deviations {
			rename(&a.Deviations[i].Text)
			rename(&a.Deviations[i].Decision)
		}
		for i := range a.Remedies {
			rename(&a.Remedies[i].Text)
			rename(&a.Remedies[i].Trouble)
		}
	}
}

// Between returns the text between two others, the first of each.
func Between(t testing.TB, s, before, after string) string {
	t.Helper()
	_, rest, ok := strings.Cut(s, before)
	if !ok {
		t.Fatalf("no %q", before)
	}
	middle, _, ok := strings.Cut(rest, after)
	if !ok {
		t.Fatalf("no %q after %q", after, before)
	}
	return middle
}

// WellFormed fails the test if a part of a page is not well-formed.
func WellFormed(t *testing.T, name, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader("<body>" + text + "</body>"))
	d.Entity = xml.HTMLEntity
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}
