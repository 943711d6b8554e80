package simredis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alicebob/miniredis/v2/server"
)

// Client-side caching. A client that tracks gets a message ("invalidate") when a key changes that it has read since the
// last such message, or that begins with one of its prefixes (BCAST). Messages are sent when a command has changed the
// key, in the order of the clients' ids. Messages to the client of that command follow its answer; those of BCAST are
// one for each prefix and segment.

// tracking has the options of a client's CLIENT TRACKING.
type tracking struct {
	bcast, optIn, optOut, noLoop bool

	prefixes []string // of BCAST
	caching  bool     // CLIENT CACHING came before the next command
}

// trackers are the clients of a node that track.
type trackers struct {
	clients []*conn            // by their ids
	readers map[string][]*conn // those that have read a key since it changed
	// changed has, by the prefixes of BCAST, the keys that have changed in this segment, each with the client whose
	// command changed it, if any.
	changed map[string]map[string]*conn

	executing *conn      // whose command is executed
	author    *conn      // the same, nil in scripts, as Redis does it
	later     [][]string // messages to the client whose command is executed: keys, nil for all
}

// touched notes a change of a key for WATCH and for clients that track it.
func (n *Node) touched(key string) {
	n.versions[key]++
	n.invalidate(key)
}

func (n *Node) invalidate(key string) {
	t := &n.tracks
	if len(t.clients) == 0 && len(t.readers) == 0 {
		return
	}
	for _, prefix := range t.prefixes() {
		if strings.HasPrefix(key, prefix) {
			t.note(prefix, key)
		}
	}
	readers := t.readers[key]
	delete(t.readers, key)
	slices.SortFunc(readers, byID)
	for _, c := range readers {
		if s := c.tracking; s != nil && !s.bcast && !(s.noLoop && c == t.executing) {
			n.sendInvalid(c, []string{key})
		}
	}
}

// note keeps a change for the clients with a prefix.
func (t *trackers) note(prefix, key string) {
	if t.changed == nil {
		t.changed = map[string]map[string]*conn{}
	}
	if t.changed[prefix] == nil {
		t.changed[prefix] = map[string]*conn{}
	}
	t.changed[prefix][key] = t.author
}

func byID(a, b *conn) int { return cmp.Compare(a.sock.ID(), b.sock.ID()) }

// invalidateAll informs clients of FLUSHALL, or of the replacement of all data: all keys may have changed.
func (n *Node) invalidateAll() {
	n.tracks.readers = nil
	for _, c := range n.tracks.clients {
		n.sendInvalid(c, nil)
	}
}

// sendInvalid sends a client the message that keys have changed, nil for all; to the one whose command is executed, after its answer.
// There is no such message in RESP2.
func (n *Node) sendInvalid(c *conn, keys []string) {
	switch {
	case c == n.tracks.executing:
		n.tracks.later = append(n.tracks.later, keys)
		return
	case c.closed || !c.out.Resp3:
		return
	}
	c.out.Block(func(w *server.Writer) {
		w.WritePushLen(2)
		w.WriteBulk("invalidate")
		if keys == nil {
			w.WriteNull()
		} else {
			w.WriteStrings(keys)
		}
	})
	c.client.answer(max(n.busyUntil, n.world.Now()))
}

// runTracked runs a client's command.
func (n *Node) runTracked(r *request) {
	t := &n.tracks
	t.executing, t.author = r.conn, r.conn
	n.run(r)
	t.executing, t.author = nil, nil
	later := t.later
	t.later = nil
	for _, keys := range later {
		n.sendInvalid(r.conn, keys)
	}
}

// remember notes the keys that a client's command has read.
func (n *Node) remember(r *request) {
	s := r.conn.tracking
	if s == nil || !r.reads || s.bcast || s.optIn && !s.caching || s.optOut && s.caching {
		return
	}
	if n.tracks.readers == nil {
		n.tracks.readers = map[string][]*conn{}
	}
	for _, key := range r.keysOf(r.args) {
		if readers := n.tracks.readers[key]; !slices.Contains(readers, r.conn) {
			n.tracks.readers[key] = append(readers, r.conn)
		}
	}
}

// broadcast sends the changed keys to the clients with BCAST.
func (n *Node) broadcast() {
	all := n.tracks.changed
	if len(all) == 0 {
		return // as after nearly every command
	}
	n.tracks.changed = nil
	for _, prefix := range slices.Sorted(maps.Keys(all)) {
		changed := all[prefix]
		keys := slices.Sorted(maps.Keys(changed))
		for _, c := range n.tracks.clients {
			if !slices.Contains(c.tracking.prefixes, prefix) {
				continue
			}
			own := slices.DeleteFunc(slices.Clone(keys), func(key string) bool {
				return c.tracking.noLoop && changed[key] == c
			})
			if len(own) > 0 {
				n.sendInvalid(c, own)
			}
		}
	}
}

// prefixes are those of all clients, in order.
func (t *trackers) prefixes() (all []string) {
	for _, c := range t.clients {
		all = append(all, c.tracking.prefixes...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// leave is the end of a client's connection.
func (n *Node) leave(c *conn) {
	n.subs.dropAll(&c.client)
	c.tracking = nil
	n.listTracker(c)
}

// listTracker adds a client to the trackers if it tracks, and removes it otherwise. Keys that it has read count again
// if it stops tracking and resumes later.
func (n *Node) listTracker(c *conn) {
	n.tracks.clients = slices.DeleteFunc(n.tracks.clients, func(o *conn) bool { return o == c })
	if c.tracking != nil {
		n.tracks.clients = append(n.tracks.clients, c)
		slices.SortFunc(n.tracks.clients, byID)
	}
	prefixes := n.tracks.prefixes()
	maps.DeleteFunc(n.tracks.changed, func(prefix string, _ map[string]*conn) bool { return !slices.Contains(prefixes, prefix) })
}

// clientTracking is CLIENT TRACKING.
func (n *Node) clientTracking(r *request) {
	r.conn.track(r.out, r.args)
	n.listTracker(r.conn)
}

func (n *Node) clientCaching(r *request) { r.conn.mayCache(r.out, r.args[0]) }

func (n *Node) clientTrackingInfo(r *request) { r.conn.trackingInfo(r.out) }

// clientGetRedir is CLIENT GETREDIR.
func (n *Node) clientGetRedir(r *request) { r.out.WriteInt(r.conn.redirection()) }

// track is CLIENT TRACKING.
func (c *client) track(out *output, args []string) {
	s, ok := parseTracking(c, args[1:])
	reason := s.mistake(c.tracking)
	switch {
	case !ok || !isOneOf(args[0], "on", "off"):
		out.WriteError(errSyntax)
		return
	case isOneOf(args[0], "off"):
		c.tracking = nil
		out.WriteOK()
		return
	case reason != "":
		out.WriteError(reason)
		return
	}
	if s.bcast && s.prefixes == nil {
		s.prefixes = []string{""}
	}
	if before := c.tracking; before != nil {
		s.prefixes = append(s.prefixes, before.prefixes...)
		s.caching = before.caching
	}
	slices.Sort(s.prefixes)
	s.prefixes = slices.Compact(s.prefixes)
	c.tracking = s
	out.WriteOK()
}

// parseTracking reads the options of CLIENT TRACKING.
func parseTracking(c *client, options []string) (s *tracking, ok bool) {
	s = &tracking{}
	for ; len(options) > 0; options = options[1:] {
		switch o := strings.ToLower(options[0]); {
		case o == "bcast":
			s.bcast = true
		case o == "optin":
			s.optIn = true
		case o == "optout":
			s.optOut = true
		case o == "noloop":
			s.noLoop = true
		case o == "prefix" && len(options) > 1:
			options = options[1:]
			s.prefixes = append(s.prefixes, options[0])
		case o == "prefix":
			return s, false
		default: // REDIRECT too
			c.unsupported("the option " + strings.ToUpper(options[0]) + " of CLIENT TRACKING")
			return s, false
		}
	}
	return s, true
}

// mistake returns the error of a client's options, or ""; before has its present ones, or nil.
func (s *tracking) mistake(before *tracking) string {
	const switched = "ERR You can't switch %s mode%s before disabling tracking for this client, and then re-enabling it with a different mode."
	if before == nil {
		before = &tracking{bcast: s.bcast}
	}
	switch {
	case !s.bcast && s.prefixes != nil:
		return "ERR PREFIX option requires BCAST mode to be enabled"
	case s.bcast != before.bcast:
		return fmt.Sprintf(switched, "BCAST", " on/off")
	case s.bcast && (s.optIn || s.optOut):
		return "ERR OPTIN and OPTOUT are not compatible with BCAST"
	case s.optIn && s.optOut:
		return "ERR You can't specify both OPTIN mode and OPTOUT mode"
	case s.optIn && before.optOut, s.optOut && before.optIn:
		return fmt.Sprintf(switched, "OPTIN/OPTOUT", "")
	}
	overlap := func(p string, others []string, which string) string {
		for _, o := range others {
			if strings.HasPrefix(p, o) || strings.HasPrefix(o, p) {
				return fmt.Sprintf("ERR Prefix '%s' overlaps with %s prefix '%s'. Prefixes for a single client must not overlap.", p, which, o)
			}
		}
		return ""
	}
	for i, p := range s.prefixes {
		if reason := cmp.Or(overlap(p, before.prefixes, "an existing"), overlap(p, s.prefixes[i+1:], "another provided")); reason != "" {
			return reason
		}
	}
	return ""
}

// mayCache is CLIENT CACHING: it is about the next command, or transaction.
func (c *client) mayCache(out *output, answer string) {
	s := c.tracking
	switch {
	case s == nil:
		out.WriteError("ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled")
	case !isOneOf(answer, "yes", "no"):
		out.WriteError(errSyntax)
	case isOneOf(answer, "yes") && !s.optIn:
		out.WriteError("ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.")
	case isOneOf(answer, "no") && !s.optOut:
		out.WriteError("ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.")
	default:
		s.caching = true
		out.WriteOK()
	}
}

// redirection returns the id of the client that gets the messages: 0 for the client itself, or -1 if it
// does not track.
func (c *client) redirection() int {
	if c.tracking == nil {
		return -1
	}
	return 0
}

// trackingInfo is CLIENT TRACKINGINFO.
func (c *client) trackingInfo(out *output) {
	s, flags := c.tracking, []string{"on"}
	if s == nil {
		s, flags = &tracking{}, []string{"off"}
	}
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"bcast", s.bcast}, {"optin", s.optIn}, {"caching-yes", s.optIn && s.caching}, {"optout", s.optOut},
		{"caching-no", s.optOut && s.caching}, {"noloop", s.noLoop},
	} {
		if f.set {
			flags = append(flags, f.name)
		}
	}
	out.Block(func(w *server.Writer) {
		w.WriteMapLen(3)
		w.WriteBulk("flags")
		w.WriteSetLen(len(flags))
		for _, f := range flags {
			w.WriteBulk(f)
		}
		w.WriteBulk("redirect")
		w.WriteInt(c.redirection())
		w.WriteBulk("prefixes")
		w.WriteStrings(s.prefixes)
	})
}
