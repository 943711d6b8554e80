package simredis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alicebob/miniredis/v2/server"
)

// clusterHandlers are the subcommands of CLUSTER.
var clusterHandlers = map[string]func(*member, *request){
	"bumpepoch": (*member).bumpEpochCommand, "count-failure-reports": (*member).countFailureReports,
	"countkeysinslot": (*member).countKeysInSlot, "failover": (*member).failoverCommand, "getkeysinslot": (*member).getKeysInSlot,
	"info": (*member).infoCommand, "keyslot": (*member).keySlot, "myid": (*member).myID, "nodes": (*member).nodesCommand,
	"replicas": (*member).replicasCommand, "setslot": (*member).setSlot, "shards": (*member).shardsCommand,
	"slaves": (*member).replicasCommand, "slots": (*member).slotsCommand,
}

// inCluster returns a command that is an error on nodes outside a Redis Cluster.
func inCluster(run func(*member, *request)) func(*Node, *request) {
	return func(n *Node, r *request) {
		if n.member == nil {
			r.out.WriteError(errNoCluster)
			return
		}
		run(n.member, r)
	}
}

func (m *member) keySlot(r *request) { r.out.WriteInt(Slot(r.args[0])) }
func (m *member) myID(r *request)    { r.out.WriteBulk(m.id) }

func (m *member) countKeysInSlot(r *request) {
	switch slot, ok := integer(r.args[0]); {
	case !ok:
		r.out.WriteError(errInteger)
	case slot < 0 || slot >= Slots:
		r.out.WriteError("ERR Invalid slot")
	default:
		r.out.WriteInt(len(m.keysIn(int(slot))))
	}
}

// getKeysInSlot lists keys in sorted order; Redis lists them in that of its dictionary.
func (m *member) getKeysInSlot(r *request) {
	slot, ok := integer(r.args[0])
	most, isNumber := integer(r.args[1])
	switch {
	case !ok || !isNumber:
		r.out.WriteError(errInteger)
	case slot < 0 || slot >= Slots || most < 0:
		r.out.WriteError("ERR Invalid slot or number of keys")
	default:
		keys := m.keysIn(int(slot))
		r.out.WriteStrings(keys[:min(int64(len(keys)), most)])
	}
}

func (m *member) countFailureReports(r *request) {
	number, known := m.find(r.args[0])
	if !known {
		r.out.WriteError("ERR Unknown node " + r.args[0])
		return
	}
	r.out.WriteInt(len(m.peers[number].reports))
}

func (m *member) bumpEpochCommand(r *request) {
	how := "STILL"
	if m.bumpEpoch() {
		how = "BUMPED"
	}
	r.out.WriteInline(fmt.Sprintf("%s %d", how, m.self().epoch))
}

// bumpEpoch makes the member's config epoch the highest, without votes, and reports whether it was not
// already.
func (m *member) bumpEpoch() bool {
	most := m.epoch
	for _, p := range m.peers {
		most = max(most, p.epoch)
	}
	if e := m.self().epoch; e != 0 && e == most {
		return false
	}
	m.epoch++
	m.self().epoch = m.epoch
	return true
}

// span is a range of slots of one owner.
type span struct{ first, last, owner int }

// spans returns the slots that are served, in ranges.
func (m *member) spans() (list []span) {
	for slot, o := range &m.slots {
		owner, end := int(o), len(list)-1
		switch {
		case owner == nobody:
		case end >= 0 && list[end].owner == owner && list[end].last == slot-1:
			list[end].last = slot
		default:
			list = append(list, span{slot, slot, owner})
		}
	}
	return list
}

// spansOf are those of one owner.
func (m *member) spansOf(owner int) []span {
	return slices.DeleteFunc(m.spans(), func(s span) bool { return s.owner != owner })
}

// replicasOf returns the numbers of the replicas of a master, in order.
func (m *member) replicasOf(master int) (list []int) {
	for i, p := range m.peers {
		if p.master == master {
			list = append(list, i)
		}
	}
	return list
}

// available reports whether a replica has data and has not failed, as far as the member knows.
func (m *member) available(number int) bool {
	return !m.peers[number].failed && !m.bus.members[number].node.Copying()
}

// slotsCommand is CLUSTER SLOTS.
func (m *member) slotsCommand(r *request) {
	m.noteStaleSlots(r.conn)
	spans := m.spans()
	r.out.WriteLen(len(spans))
	for _, s := range spans {
		nodes := append([]int{s.owner}, slices.DeleteFunc(m.replicasOf(s.owner), func(i int) bool { return !m.available(i) })...)
		r.out.WriteLen(2 + len(nodes))
		r.out.WriteInt(s.first)
		r.out.WriteInt(s.last)
		for _, number := range nodes {
			host, port := m.hostPort(number)
			r.out.WriteLen(4)
			r.out.WriteBulk(host)
			r.out.WriteInt(port)
			r.out.WriteBulk(m.bus.members[number].id)
			r.out.Block(func(w *server.Writer) { w.WriteMapLen(0) })
		}
	}
}

func (m *member) hostPort(number int) (host string, port int) {
	host, text, _ := strings.Cut(m.bus.members[number].node.Address(), ":")
	port, _ = strconv.Atoi(text) // made by newNode
	return host, port
}

// shardsCommand is CLUSTER SHARDS.
func (m *member) shardsCommand(r *request) {
	var masters []int
	for i, p := range m.peers {
		if p.master == nobody {
			masters = append(masters, i)
		}
	}
	r.out.WriteLen(len(masters))
	for _, master := range masters {
		spans := m.spansOf(master)
		nodes := append([]int{master}, m.replicasOf(master)...)
		r.out.WriteMapLen(2)
		r.out.WriteBulk("slots")
		r.out.WriteLen(2 * len(spans))
		for _, s := range spans {
			r.out.WriteInt(s.first)
			r.out.WriteInt(s.last)
		}
		r.out.WriteBulk("nodes")
		r.out.WriteLen(len(nodes))
		for _, number := range nodes {
			m.writeShardNode(r.out, number)
		}
	}
}

func (m *member) writeShardNode(out *output, number int) {
	host, port := m.hostPort(number)
	role, health := "master", "online"
	if m.peers[number].master != nobody {
		role = "replica"
	}
	switch {
	case m.peers[number].failed:
		health = "fail"
	case m.bus.members[number].node.Copying():
		health = "loading"
	}
	offset := m.peers[number].offset
	if number == m.number {
		offset = m.node.Position
	}
	out.WriteMapLen(7)
	out.WriteBulk("id")
	out.WriteBulk(m.bus.members[number].id)
	out.WriteBulk("port")
	out.WriteInt(port)
	for _, s := range []string{"ip", host, "endpoint", host, "role", role, "replication-offset"} {
		out.WriteBulk(s)
	}
	out.WriteInt(int(offset))
	out.WriteBulk("health")
	out.WriteBulk(health)
}

// nodesCommand is CLUSTER NODES. The times of pings are 0: there are none.
func (m *member) nodesCommand(r *request) {
	var b strings.Builder
	for i := range m.peers {
		b.WriteString(m.line(i) + "\n")
	}
	r.out.Block(func(w *server.Writer) { writeVerbatim(r.out, w, b.String()) })
}

// replicasCommand is CLUSTER REPLICAS.
func (m *member) replicasCommand(r *request) {
	number, known := m.find(r.args[0])
	switch {
	case !known:
		r.out.WriteError("ERR Unknown node " + r.args[0])
		return
	case m.peers[number].master != nobody:
		r.out.WriteError("ERR The specified node is not a master")
		return
	}
	replicas := m.replicasOf(number)
	r.out.WriteLen(len(replicas))
	for _, i := range replicas {
		r.out.WriteBulk(m.line(i))
	}
}

// line returns a node's line of CLUSTER NODES.
func (m *member) line(number int) string {
	p := m.peers[number]
	host, port := m.hostPort(number)
	var flags []string
	flag := func(is bool, name string) {
		if is {
			flags = append(flags, name)
		}
	}
	flag(number == m.number, "myself")
	flag(p.master == nobody, "master")
	flag(p.master != nobody, "slave")
	flag(p.suspect, "fail?")
	flag(p.failed, "fail")
	master := "-"
	if p.master != nobody {
		master = m.bus.members[p.master].id
	}
	link := "connected"
	if p.silent != heardOf {
		link = "disconnected"
	}
	line := fmt.Sprintf("%s %s:%d@%d %s %s 0 0 %d %s", m.bus.members[number].id, host, port, port+10000,
		strings.Join(flags, ","), master, m.peers[m.masterOf(number)].epoch, link)
	for _, s := range m.spansOf(number) {
		line += " " + strconv.Itoa(s.first)
		if s.last != s.first {
			line += "-" + strconv.Itoa(s.last)
		}
	}
	if number == m.number {
		line += m.openSlots()
	}
	return line
}

// openSlots returns the slots that are imported or migrated, as CLUSTER NODES shows
// them.
func (m *member) openSlots() (text string) {
	for slot := range Slots {
		if to, ok := m.migrating[slot]; ok {
			text += fmt.Sprintf(" [%d->-%s]", slot, m.bus.members[to].id)
		} else if from, ok := m.importing[slot]; ok {
			text += fmt.Sprintf(" [%d-<-%s]", slot, m.bus.members[from].id)
		}
	}
	return text
}

// writeVerbatim writes a text, in RESP3 as a verbatim string.
func writeVerbatim(o *output, w *server.Writer, s string) {
	if o.Resp3 {
		w.WriteRaw(fmt.Sprintf("=%d\r\ntxt:%s\r\n", len(s)+4, s))
	} else {
		w.WriteBulk(s)
	}
}

// infoCommand is CLUSTER INFO, without statistics of messages.
func (m *member) infoCommand(r *request) {
	var b strings.Builder
	line := func(name string, v any) { fmt.Fprintf(&b, "cluster_%s:%v\r\n", name, v) }
	owned := m.owned()
	assigned, suspected, failed, size := 0, 0, 0, 0
	for i, n := range owned {
		assigned += n
		if n > 0 {
			size++
		}
		switch p := m.peers[i]; {
		case p.failed:
			failed += n
		case p.suspect:
			suspected += n
		}
	}
	line("state", map[bool]string{true: "ok", false: "fail"}[m.healthy])
	line("slots_assigned", assigned)
	line("slots_ok", assigned-suspected-failed)
	line("slots_pfail", suspected)
	line("slots_fail", failed)
	line("known_nodes", len(m.peers))
	line("size", size)
	line("current_epoch", m.epoch)
	line("my_epoch", m.peers[m.masterOf(m.number)].epoch)
	r.out.Block(func(w *server.Writer) { writeVerbatim(r.out, w, b.String()) })
}
