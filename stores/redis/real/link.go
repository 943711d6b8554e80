package real

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"
)

// link carries what a node sends to its follower, or holds it. What the follower sends always goes.
type link struct {
	listener    net.Listener
	held, ended atomic.Bool
}

func (k *link) close() {
	k.ended.Store(true)
	_ = k.listener.Close()
}

func newLink(to string) (*link, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	k := &link{listener: l}
	go func() {
		for {
			follower, err := l.Accept()
			if err != nil {
				return
			}
			node, err := net.Dial("tcp", to)
			if err != nil {
				_ = follower.Close()
				continue
			}
			go func() {
				_, _ = io.Copy(node, follower)
				_ = node.Close()
			}()
			go k.carry(node, follower)
		}
	}()
	return k, nil
}

// carry copies. While the link is held, commands that change nothing pass, as long as no other is before them.
func (k *link) carry(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	r := bufio.NewReader(from)
	buffer := make([]byte, 64<<10)
	for !k.ended.Load() {
		var command bytes.Buffer
		if k.held.Load() {
			if frame(r, &command, 0) != nil {
				return
			}
			for changes(command.Bytes()) && k.held.Load() && !k.ended.Load() {
				time.Sleep(time.Millisecond)
			}
		} else {
			n, err := r.Read(buffer)
			if err != nil {
				return
			}
			if k.held.Load() { // it was not when this was waited for: what has come begins with a command
				r = bufio.NewReader(io.MultiReader(bytes.NewReader(bytes.Clone(buffer[:n])), r))
				continue
			}
			command.Write(buffer[:n])
		}
		if _, err := to.Write(command.Bytes()); err != nil {
			return
		}
	}
}

// changes reports whether a command of the replication stream changes data.
func changes(command []byte) bool {
	list := words(command)
	if len(list) == 0 {
		return false
	}
	switch strings.ToUpper(list[0]) {
	case "PING", "REPLCONF":
		return false
	}
	return true
}
