package confirm

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// linkOf returns the link at a node whose session has a name, or whose requests that session got last, nil if there is
// none.
func (d *driver) linkOf(node, session string) *link {
	for _, k := range slices.Backward(d.links) { // a server that has restarted may use a name again
		if name, _ := k.Session(); k.Node == node && name != "" && name == session {
			return k
		}
	}
	return d.senderOf(session)
}

// byTaker returns the origin of a record that a session has got: the session's last request, which may have waited at the
// server.
func (d *driver) byTaker(node string, r Record, by model.Origin) model.Origin {
	if r.Session == "" {
		return by
	}
	k := d.linkOf(node, r.Session)
	if k == nil || k.last == nil {
		return by
	}
	k.last.changed = true
	return k.last.by
}

// sessional reports whether the store's connections have sessions.
func (d *driver) sessional() bool {
	return slices.ContainsFunc(d.links, func(k *link) bool { _, has := k.Session(); return has })
}

// byGiver returns the origin of the end of a session's record: its client, or none if the session has ended.
func (d *driver) byGiver(node string, r Record, by model.Origin) model.Origin {
	if r.Session == "" || !d.sessional() {
		return by
	}
	k := d.linkOf(node, r.Session)
	switch {
	case k == nil || k.ended:
		return model.Origin{}
	case k.last != nil && k.last.inOrder && !k.last.changed:
		k.last.changed = true
		return k.last.by
	case k.Gate.Client == by.Client:
		return by
	}
	return model.Origin{}
}

// hangUp closes connections to servers with sessions whose clients have hung up, once the clients' earlier messages have
// arrived, or cannot any more.
func (d *driver) hangUp() {
	for _, k := range d.links {
		if _, has := k.Session(); !has || !k.gone || k.hungUp || apart(d.partition.Load(), k.Gate.Client, k.Node) || d.comesLate(k) {
			continue
		}
		k.hungUp = true
		_ = k.Server.Close()
	}
}

// comesLate reports whether a request of the link must reach its server after its client has hung up.
func (d *driver) comesLate(k *link) bool {
	if d.hasMissedOn(k) {
		return true
	}
	for _, r := range d.waiting {
		if r.link != k {
			continue
		}
		for i := d.position; i < len(d.steps); i++ {
			if s := &d.steps[i]; s.kind == executes && s.late && s.client == k.Gate.Client && s.request == r.Signature {
				return true
			}
		}
	}
	return false
}
