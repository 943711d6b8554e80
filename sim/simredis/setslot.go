package simredis

import (
	"fmt"
	"strconv"
	"strings"
)

// setSlot is CLUSTER SETSLOT: the steps by which a slot moves from one master to another.
func (m *member) setSlot(r *request) {
	action := strings.ToLower(r.args[1])
	slot, err := strconv.Atoi(r.args[0])
	var reason string
	switch {
	case !m.isMaster():
		reason = "ERR Please use SETSLOT only with masters."
	case err != nil || slot < 0 || slot >= Slots:
		reason = "ERR Invalid or out of range slot"
	case action == "migrating" && len(r.args) == 3:
		reason = m.setMigrating(slot, r.args[2])
	case action == "importing" && len(r.args) == 3:
		reason = m.setImporting(slot, r.args[2])
	case action == "stable" && len(r.args) == 2:
		delete(m.migrating, slot)
		delete(m.importing, slot)
	case action == "node" && len(r.args) == 3:
		reason = m.setOwner(slot, r.args[2])
	default:
		reason = "ERR Invalid CLUSTER SETSLOT action or number of arguments. Try CLUSTER HELP"
	}
	if reason != "" {
		r.out.WriteError(reason)
		return
	}
	m.update()
	r.out.WriteOK()
}

// otherMaster returns the number of a master, by its ID, or an error as reason.
func (m *member) otherMaster(id, unknown string) (number int, reason string) {
	number, known := m.find(id)
	switch {
	case !known:
		return number, "ERR " + unknown + " " + id
	case m.peers[number].master != nobody:
		return number, "ERR Target node is not a master"
	}
	return number, ""
}

func (m *member) setMigrating(slot int, id string) string {
	if int(m.slots[slot]) != m.number {
		return fmt.Sprintf("ERR I'm not the owner of hash slot %d", slot)
	}
	number, reason := m.otherMaster(id, "I don't know about node")
	if reason == "" {
		m.bus.watch(slot)
		m.migrating[slot] = number
	}
	return reason
}

func (m *member) setImporting(slot int, id string) string {
	if int(m.slots[slot]) == m.number {
		return fmt.Sprintf("ERR I'm already the owner of hash slot %d", slot)
	}
	number, reason := m.otherMaster(id, "I don't know about node")
	if reason == "" {
		m.bus.watch(slot)
		m.importing[slot] = number
	}
	return reason
}

// setOwner gives a slot to a master, as far as the member is concerned. The master that has imported it takes a new config
// epoch for that and informs all nodes.
func (m *member) setOwner(slot int, id string) string {
	number, reason := m.otherMaster(id, "Unknown node")
	if reason != "" {
		return reason
	}
	mine := int(m.slots[slot]) == m.number
	keys := len(m.keysIn(slot))
	if mine && number != m.number && keys > 0 {
		return fmt.Sprintf("ERR Can't assign hashslot %d to a different node while I still hold keys for this hash slot.", slot)
	}
	if keys == 0 {
		delete(m.migrating, slot)
	}
	m.assign(slot, number)
	if mine && number != m.number && m.owned()[m.number] == 0 {
		m.follow(number)
	}
	if _, importing := m.importing[slot]; importing && number == m.number {
		m.bumpEpoch()
		delete(m.importing, slot)
		m.broadcast("pong")
	}
	return ""
}
