package simmysql

import "github.com/lockpick-dev/lockpick/sim"

// Capabilities of servers and clients.
const (
	canLongPassword     uint32 = 1 << 0
	canFoundRows        uint32 = 1 << 1
	canLongFlag         uint32 = 1 << 2
	canConnectWithDB    uint32 = 1 << 3
	canProtocol41       uint32 = 1 << 9
	canTransactions     uint32 = 1 << 13
	canSecureConnection uint32 = 1 << 15
	canMultiResults     uint32 = 1 << 17
	canPSMultiResults   uint32 = 1 << 18
	canPluginAuth       uint32 = 1 << 19
	canAuthLength       uint32 = 1 << 21

	// capabilities are the server's. Attributes of connections are not among them: clients
	// send their process id in them, which is another in each run.
	capabilities = canLongPassword | canFoundRows | canLongFlag | canConnectWithDB | canProtocol41 | canTransactions |
		canSecureConnection | canMultiResults | canPSMultiResults | canPluginAuth
)

// authPlugin is how clients show who they are.
const authPlugin = "mysql_native_password"

// collation is utf8mb4_general_ci.
const collation = 45

// greeting returns the first packet of a connection.
func greeting(version string, id int64) []byte {
	salt := scramble(id)
	var e encoder
	e.begin()
	e.byte(10) // the version of the protocol
	e.terminated(version)
	e.uint32(uint32(id))
	e.byte(salt[:8]...)
	e.byte(0)
	e.uint16(uint16(capabilities & 0xffff))
	e.byte(collation)
	e.uint16(statusAutocommit)
	e.uint16(uint16(capabilities >> 16))
	e.byte(byte(len(salt) + 1))
	e.byte(make([]byte, 10)...)
	e.byte(salt[8:]...)
	e.byte(0)
	e.terminated(authPlugin)
	e.end()
	return e.out
}

// scramble returns what clients hash their passwords with: twenty printable characters.
func scramble(id int64) []byte {
	salt := make([]byte, 20)
	for i := range salt {
		var d sim.Digest
		d.Uint(uint64(id))
		d.Uint(uint64(i))
		salt[i] = '!' + byte(d.Sum()%90)
	}
	return salt
}

// login is a client's answer to the greeting.
type login struct {
	capabilities uint32
	user         string
	database     string
}

// parseLogin reads a client's answer to the greeting. The password is ignored: the server has no
// accounts, and accepts everybody.
func parseLogin(body []byte) (login, bool) {
	d := decoder{rest: body}
	l := login{capabilities: d.uint32()}
	d.uint32() // the longest packet
	d.byte()   // the character set
	d.take(23)
	l.user = d.terminated()
	switch {
	case l.capabilities&canAuthLength != 0:
		d.text()
	case l.capabilities&canSecureConnection != 0:
		d.take(int(d.byte()))
	default:
		d.terminated()
	}
	if l.capabilities&canConnectWithDB != 0 {
		l.database = d.terminated()
	}
	return l, !d.bad && l.capabilities&canProtocol41 != 0
}
