package story

import (
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
)

// whose returns the owner of a thing, for after "is": "c2's", or "that of another acquisition of c1" if c1 is the client
// that the sentence is about.
func whose(owner model.Origin, speaker string) string {
	switch owner.Client {
	case "":
		return "nobody's"
	case speaker:
		return "that of another acquisition of " + wording.Printable(speaker)
	}
	return wording.Printable(owner.Client) + "'s"
}

// owned names a record on a node with its owner: see [Owned].
func (s *Log) owned(node string, owner model.Origin, speaker string) string {
	return Owned(s.TermsAt(node).Record, owner, speaker)
}

// Owned names a thing with its owner: "c2's key", or "the key of another acquisition of c1" if c1 is the client that the
// sentence is about.
func Owned(thing string, owner model.Origin, speaker string) string {
	if owner.Client != "" && owner.Client == speaker {
		return "the " + thing + " of another acquisition of " + wording.Printable(speaker)
	}
	return whose(owner, speaker) + " " + thing
}

// Because returns an error as a clause, to be appended to the text of what failed.
func Because(err string) string {
	if err == "" {
		return ""
	}
	return ": " + wording.Fit(wording.Printable(err), 80)
}

// ofSession names the session of a client at a node: "c2's session", or "its session" if the
// sentence is about that client.
func (s *Log) ofSession(node string, owner model.Origin, speaker string) string {
	if owner.Client != "" && owner.Client == speaker {
		return "its " + s.TermsAt(node).Session
	}
	return Owned(s.TermsAt(node).Session, owner, "")
}
